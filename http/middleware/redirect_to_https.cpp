// SPDX-License-Identifier: MIT

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/message/ascii.h"
#include "http/message/host.h"
#include "http/middleware/security.h"
#include "http/web/problem.h"
#include "http/web/redirect.h"

namespace volt::http {
namespace {

constexpr std::uint16_t kHttpsPort = 443;

// Returns "a" for "a:80", and "[::1]" for "[::1]:80". The request decoder has verified that the host is well-formed.
std::string_view without_port(std::string_view host) noexcept {
  const std::size_t address_end = host.starts_with('[') ? host.find(']') : 0;
  return host.substr(0, host.find(':', address_end));
}

class RedirectToHttps {
 public:
  explicit RedirectToHttps(HttpsRedirectOptions options) : options_(std::move(options)) {
    for (const std::string& host : options_.hosts) {
      if (!message::valid_host(host) || without_port(host) != host) {
        throw std::invalid_argument("redirect_to_https: hosts must be names without a port: " + host);
      }
    }
    for (const std::string& path : options_.except) {
      if (!path.starts_with('/')) throw std::invalid_argument("redirect_to_https: a path must begin with '/': " + path);
    }
    if (options_.port != kHttpsPort) port_ = ":" + std::to_string(options_.port);
  }

  Task<Response> operator()(Request& request, Next next) {
    if (request.secure() || passes(request.path())) co_return co_await next(request);
    const std::string_view host = without_port(request.host());
    if (host.empty()) {
      co_return Problem(Status::bad_request, "HTTPS is required, and the request has no Host to redirect to.")
          .to_response(request.id());
    }
    if (!serves(host)) co_return Problem(Status::misdirected_request).to_response(request.id());
    std::string location = "https://";
    location.append(host).append(port_).append(request.path());
    if (!request.query().empty()) location.append("?").append(request.query());
    co_return permanent_redirect(location);
  }

 private:
  // Returns whether the path is served without TLS. `OPTIONS *` concerns the whole server: it has no path to redirect,
  // so it is served.
  [[nodiscard]] bool passes(std::string_view path) const noexcept {
    return path == "*" ||
           std::ranges::any_of(options_.except, [path](const std::string& prefix) { return path.starts_with(prefix); });
  }
  [[nodiscard]] bool serves(std::string_view host) const noexcept {
    return options_.hosts.empty() || std::ranges::any_of(options_.hosts, [host](const std::string& known) {
             return message::equal_ignoring_case(known, host);
           });
  }

  HttpsRedirectOptions options_;
  std::string port_;  // ":8443"; empty for the scheme's default port
};

}  // namespace

Middleware redirect_to_https(HttpsRedirectOptions options) { return Middleware(RedirectToHttps(std::move(options))); }

}  // namespace volt::http
