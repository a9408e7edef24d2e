// SPDX-License-Identifier: MIT

#include "http/message/request_id.h"

#include <chrono>
#include <memory>
#include <utility>

#include "http/middleware/observe.h"
#include "runtime/per_worker.h"
#include "runtime/wall_clock.h"

namespace volt::http {
namespace {

class GiveRequestId {
 public:
  explicit GiveRequestId(RequestIdOptions options)
      : options_(std::move(options)), sources_(std::make_unique<Sources>()) {}

  Task<Response> operator()(Request& request, Next next) {
    request.set_id(choose(request));
    Response response = co_await next(request);
    response.header(options_.header, request.id());
    co_return response;
  }

 private:
  using Sources = PerWorker<message::RequestIdSource>;

  std::string choose(const Request& request) {
    const auto theirs = request.header(options_.header);
    if (options_.accept_client_id && theirs && message::acceptable_request_id(*theirs)) return std::string(*theirs);
    const auto now = std::chrono::floor<std::chrono::milliseconds>(wall_now());
    return std::string(sources_->local().next(now).view());
  }

  RequestIdOptions options_;
  std::unique_ptr<Sources> sources_;
};

}  // namespace

Middleware request_id(RequestIdOptions options) {
  require_field(options.header, {});
  return Middleware(GiveRequestId(std::move(options)));
}

}  // namespace volt::http
