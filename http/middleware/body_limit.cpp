// SPDX-License-Identifier: MIT

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "http/middleware/limits.h"
#include "http/web/problem.h"

namespace volt::http {
namespace {

// The request decoder has verified that Content-Length is a number.
std::optional<std::uint64_t> content_length(const Request& request) noexcept {
  const auto field = request.header("content-length");
  if (!field) return std::nullopt;
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(field->data(), field->data() + field->size(), bytes);
  if (error != std::errc()) return std::nullopt;
  return bytes;
}

// The strictest limit so far on the bytes of `source`.
struct LimitInForce {
  const BodySource* source;
  std::uint64_t bytes_max;
};

class LimitBody {
 public:
  explicit LimitBody(std::uint64_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::uint64_t known = std::max<std::uint64_t>(content_length(request).value_or(0), request.body().size());
    if (known > bytes_max_) co_return Problem(Status::content_too_large).to_response(request.id());
    tighten(request);
    co_return co_await next(request);
  }

 private:
  void tighten(Request& request) const {
    if (request.has_whole_body()) return;
    const LimitInForce* outer = request.find<LimitInForce>();
    const bool stricter = outer != nullptr && outer->source == request.body_source() && outer->bytes_max <= bytes_max_;
    if (stricter) return;
    request.put(LimitInForce{request.body_source(), bytes_max_});
    request.limit_body(bytes_max_);
  }

  std::uint64_t bytes_max_;
};

}  // namespace

Middleware body_limit(std::uint64_t bytes_max) { return Middleware(LimitBody(bytes_max)); }

}  // namespace volt::http
