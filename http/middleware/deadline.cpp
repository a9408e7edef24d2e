// SPDX-License-Identifier: MIT

#include "http/middleware/deadline.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "http/message/ascii.h"
#include "http/web/problem.h"
#include "runtime/concurrent.h"

namespace volt::http {
namespace {

Task<Response> respond_in_time(Request& request, Next next) { co_return co_await next(request); }

std::optional<std::chrono::nanoseconds> parse_milliseconds(std::string_view text) noexcept {
  std::uint32_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end) return std::nullopt;
  return std::chrono::milliseconds(count);
}

class RequestTimeLimit {
 public:
  explicit RequestTimeLimit(DeadlineOptions options) : options_(std::move(options)) {}

  Task<Response> operator()(Request& request, Next next) {
    const Deadline deadline = Deadline::after(limit_of(request));
    request.put(RequestDeadline{deadline});
    Result<Response> response = volt::error(std::errc::timed_out);
    if (!deadline.passed()) {
      response = co_await within(deadline.left(), [&request, next] { return respond_in_time(request, next); });
    }
    if (response) co_return *std::move(response);
    co_return unavailable("the response took too long").to_response(request.id());
  }

 private:
  [[nodiscard]] std::chrono::nanoseconds limit_of(const Request& request) const noexcept {
    const auto field = options_.field.empty() ? std::nullopt : request.headers().find(options_.field);
    const auto left = field ? parse_milliseconds(*field) : std::nullopt;
    return std::min(left.value_or(options_.limit), options_.limit);
  }

  const DeadlineOptions options_;
};

}  // namespace

Middleware deadline(DeadlineOptions options) {
  if (options.limit <= std::chrono::nanoseconds(0)) throw std::invalid_argument("deadline: the limit must be above 0");
  if (!options.field.empty() && !message::is_token(options.field)) {
    throw std::invalid_argument("deadline: the field is not a token: " + options.field);
  }
  Middleware middleware(RequestTimeLimit(std::move(options)));
  middleware.provides<RequestDeadline>();
  return middleware;
}

}  // namespace volt::http
