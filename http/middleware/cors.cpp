// SPDX-License-Identifier: MIT

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "http/message/ascii.h"
#include "http/middleware/internal/vary.h"
#include "http/middleware/security.h"

namespace volt::http {
namespace {

std::string joined(const auto& names) {
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

std::string method_list(const std::vector<Method>& methods) {
  std::vector<std::string_view> names;
  for (const Method method : methods) names.push_back(to_string(method));
  return joined(names);
}

class Cors {
 public:
  explicit Cors(CorsOptions options)
      : any_origin_(std::ranges::find(options.origins, "*") != options.origins.end()),
        origins_(std::move(options.origins)),
        credentials_(options.credentials),
        methods_(method_list(options.methods)),
        headers_(joined(options.headers)),
        exposed_(joined(options.expose)),
        max_age_(std::to_string(options.max_age.count())) {}

  Task<Response> operator()(Request& request, Next next) {
    const auto origin = request.header("origin");
    if (origin && is_preflight(request)) co_return respond_to_preflight(*origin);
    Response response = co_await next(request);
    if (origin) allow_reading(response, *origin);
    if (!any_origin_) middleware::vary_on(response, "Origin");
    co_return response;
  }

 private:
  static bool is_preflight(const Request& request) noexcept {
    return request.method() == Method::options && request.headers().contains("access-control-request-method");
  }

  bool allows(std::string_view origin) const noexcept {
    return any_origin_ || std::ranges::find(origins_, origin) != origins_.end();
  }

  Response respond_to_preflight(std::string_view origin) const {
    Response response(Status::no_content);
    if (!any_origin_) response.header("Vary", "Origin");
    if (!allows(origin)) return response;
    allow(response, origin);
    if (!methods_.empty()) response.header("Access-Control-Allow-Methods", methods_);
    if (!headers_.empty()) response.header("Access-Control-Allow-Headers", headers_);
    response.header("Access-Control-Max-Age", max_age_);
    return response;
  }

  void allow_reading(Response& response, std::string_view origin) const {
    if (!allows(origin)) return;
    allow(response, origin);
    if (!exposed_.empty()) response.header("Access-Control-Expose-Headers", exposed_);
  }

  void allow(Response& response, std::string_view origin) const {
    response.header("Access-Control-Allow-Origin", any_origin_ ? "*" : origin);
    if (credentials_) response.header("Access-Control-Allow-Credentials", "true");
  }

  bool any_origin_;
  std::vector<std::string> origins_;
  bool credentials_;
  std::string methods_;
  std::string headers_;
  std::string exposed_;
  std::string max_age_;
};

void require_valid(bool condition, const char* sentence) {
  if (!condition) throw std::invalid_argument(sentence);
}

void require_field_names(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    require_valid(message::is_token(name), "cors: a header name is not a valid field name");
}

}  // namespace

Middleware cors(CorsOptions options) {
  const bool any_origin = std::ranges::find(options.origins, "*") != options.origins.end();
  const bool any_header = std::ranges::find(options.headers, "*") != options.headers.end();
  require_valid(!(any_origin && options.credentials),
                "cors: origin \"*\" cannot be combined with credentials: list the origins");
  require_valid(!(any_header && options.credentials),
                "cors: header \"*\" cannot be combined with credentials: list the headers");
  require_field_names(options.headers);
  require_field_names(options.expose);
  for (const std::string& origin : options.origins) {
    const bool well_formed = origin == "*" || origin == "null" || (origin.contains("://") && !origin.ends_with('/'));
    require_valid(well_formed, "cors: an origin is a scheme and a host without a trailing slash: https://app.example");
    require_field("Origin", origin);
  }
  return Middleware(Cors(std::move(options)));
}

}  // namespace volt::http
