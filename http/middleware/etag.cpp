// SPDX-License-Identifier: MIT

#include "http/middleware/etag.h"

#include <span>
#include <string>
#include <utility>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "http/middleware/internal/conditional_response.h"

namespace volt::http {
namespace {

std::string tag_of(std::string_view body) {
  constexpr std::size_t kTagBytes = 16;  // bytes of the digest; makes a collision practically impossible
  const crypto::Sha256 digest = crypto::sha256(body);
  return "\"" + crypto::base64url_encode(std::span(digest).first<kTagBytes>()) + "\"";
}

class Etag {
 public:
  explicit Etag(EtagOptions options) noexcept : options_(options) {}

  Task<Response> operator()(Request& request, Next next) {
    Response response = co_await next(request);
    const bool reads = request.method() == Method::get || request.method() == Method::head;
    if (!reads || response.status() != Status::ok) co_return response;
    if (!response.header("etag") && can_hash(response)) response.header("ETag", tag_of(response.body()));
    co_return middleware::evaluate_conditions(request, std::move(response));
  }

 private:
  bool can_hash(const Response& response) const noexcept {
    return response.stream() == nullptr && response.body().size() <= options_.bytes_max;
  }

  EtagOptions options_;
};

}  // namespace

Middleware etag(EtagOptions options) { return Middleware(Etag(options)); }

}  // namespace volt::http
