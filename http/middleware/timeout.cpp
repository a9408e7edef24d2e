// SPDX-License-Identifier: MIT

#include <stdexcept>
#include <utility>

#include "http/middleware/limits.h"
#include "http/web/problem.h"
#include "runtime/concurrent.h"

namespace volt::http {
namespace {

Task<Response> run_next(Request& request, Next next) { co_return co_await next(request); }

class Timeout {
 public:
  explicit Timeout(std::chrono::nanoseconds limit) noexcept : limit_(limit) {}

  Task<Response> operator()(Request& request, Next next) {
    Result<Response> response = co_await within(limit_, [&request, next] { return run_next(request, next); });
    if (response) co_return *std::move(response);
    co_return unavailable("the response took too long").to_response(request.id());
  }

 private:
  std::chrono::nanoseconds limit_;
};

}  // namespace

Middleware timeout(std::chrono::nanoseconds limit) {
  if (limit <= std::chrono::nanoseconds(0)) throw std::invalid_argument("timeout: the limit must be above 0");
  return Middleware(Timeout(limit));
}

}  // namespace volt::http
