// SPDX-License-Identifier: MIT

#include <utility>

#include "http/middleware/security.h"

namespace volt::http {
namespace {

struct OwnedField {
  std::string name;
  std::string value;
};

std::string transport_security(const SecurityHeaderOptions& options) {
  if (options.hsts_max_age == std::chrono::seconds(0)) return {};
  return "max-age=" + std::to_string(options.hsts_max_age.count()) +
         (options.hsts_include_subdomains ? "; includeSubDomains" : "");
}

class SecurityHeaders {
 public:
  explicit SecurityHeaders(SecurityHeaderOptions options) : transport_security_(transport_security(options)) {
    add("X-Content-Type-Options", options.nosniff ? "nosniff" : "");
    add("Referrer-Policy", std::move(options.referrer_policy));
    add("X-Frame-Options", std::move(options.frame_options));
    add("Content-Security-Policy", std::move(options.content_security_policy));
    add("Cross-Origin-Opener-Policy", std::move(options.cross_origin_opener_policy));
    add("Permissions-Policy", std::move(options.permissions_policy));
  }

  Task<Response> operator()(Request& request, Next next) {
    Response response = co_await next(request);
    for (const OwnedField& field : fields_) add_unless_there(response, field.name, field.value);
    if (request.secure() && !transport_security_.empty()) {
      add_unless_there(response, "Strict-Transport-Security", transport_security_);
    }
    co_return response;
  }

 private:
  static void add_unless_there(Response& response, std::string_view name, std::string_view value) {
    if (!response.header(name)) response.add_header(name, value);
  }
  void add(std::string name, std::string value) {
    if (value.empty()) return;
    require_field(name, value);
    fields_.push_back({std::move(name), std::move(value)});
  }

  std::vector<OwnedField> fields_;
  std::string transport_security_;  // value of Strict-Transport-Security; empty: none
};

}  // namespace

Middleware security_headers(SecurityHeaderOptions options) { return Middleware(SecurityHeaders(std::move(options))); }

}  // namespace volt::http
