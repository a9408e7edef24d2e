// SPDX-License-Identifier: MIT

#include <optional>

#include "http/coding/negotiation.h"
#include "http/middleware/compress.h"
#include "http/middleware/internal/decoded_source.h"
#include "http/web/problem.h"

namespace volt::http {
namespace {

using middleware::DecodedSource;

class Decompress {
 public:
  explicit Decompress(const DecodeLimits& limits) noexcept : limits_(limits) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::optional<coding::AppliedCodings> codings = coding::applied_codings(request.headers());
    if (!codings) co_return refuse(request);
    const bool decoded_already = request.find<DecodedSource>() != nullptr;
    if (!codings->empty() && !decoded_already) {
      DecodedSource& decoded = request.put(DecodedSource(request, *codings, limits_));
      request.replace_body_source(decoded);
    }
    co_return co_await next(request);
  }

 private:
  // Responds 415 with the supported codings in Accept-Encoding (RFC 9110 section 15.5.16).
  static Response refuse(const Request& request) {
    Problem problem(Status::unsupported_media_type, "unknown Content-Encoding: use br, zstd, gzip or deflate");
    problem.header("Accept-Encoding", "br, zstd, gzip, deflate");
    return problem.to_response(request.id());
  }

  DecodeLimits limits_;
};

}  // namespace

Middleware decompress(DecodeLimits limits) { return Middleware(Decompress(limits)); }

}  // namespace volt::http
