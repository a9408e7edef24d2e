// SPDX-License-Identifier: MIT

#include "http/middleware/etag.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "http/files/preconditions.h"
#include "http/message/http_date.h"
#include "http/web/problem.h"

namespace volt::http {
namespace {

std::chrono::sys_seconds this_second() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::string tag_of(std::string_view body) {
  constexpr std::size_t kTagBytes = 16;  // bytes of the digest; makes a collision practically impossible
  const crypto::Sha256 digest = crypto::sha256(body);
  return "\"" + crypto::base64url_encode(std::span(digest).first<kTagBytes>()) + "\"";
}

// Keeps the validators and the other fields of a 304 (RFC 9110 section 15.4.5), and removes the body.
void respond_not_modified(Response& response) { response.status(Status::not_modified).replace_body(std::string()); }

class Etag {
 public:
  explicit Etag(EtagOptions options) noexcept : options_(options) {}

  Task<Response> operator()(Request& request, Next next) {
    Response response = co_await next(request);
    const bool reads = request.method() == Method::get || request.method() == Method::head;
    if (!reads || response.status() != Status::ok) co_return response;
    if (!response.header("etag") && can_hash(response)) response.header("ETag", tag_of(response.body()));
    switch (verdict(request, response)) {
      case files::Verdict::proceed:
        break;
      case files::Verdict::not_modified:
        respond_not_modified(response);
        break;
      case files::Verdict::precondition_failed:
        co_return Problem(Status::precondition_failed).to_response(request.id());
    }
    co_return response;
  }

 private:
  bool can_hash(const Response& response) const noexcept {
    return response.stream() == nullptr && response.body().size() <= options_.bytes_max;
  }

  static files::Verdict verdict(const Request& request, const Response& response) noexcept {
    files::Validators current;
    if (const auto tag = response.header("etag")) current.etag = files::parse_entity_tag(*tag);
    const auto modified = response.header("last-modified");
    if (modified) current.last_modified = message::parse_http_date(*modified, this_second());
    if (!current.etag && !current.last_modified) return files::Verdict::proceed;
    return files::evaluate_preconditions(request.method(), request.headers(), current, this_second());
  }

  EtagOptions options_;
};

}  // namespace

Middleware etag(EtagOptions options) { return Middleware(Etag(options)); }

}  // namespace volt::http
