// SPDX-License-Identifier: MIT

// Middleware for browser security: cross-origin access to responses, restrictions on pages, and HTTPS.
//
//   app.use(http::security_headers());
//   app.use(http::redirect_to_https());
//   api.use(http::cors({.origins = {"https://app.example"}, .credentials = true}));
//
// Threads: the factories are called while the app is built. The middleware may run on any worker.
// Cost: each middleware costs one coroutine frame per request, and the fields that it adds.
// Source: the Fetch standard, section "CORS protocol"; RFC 6797; Referrer Policy; Content Security Policy level 3; RFC
// 8555 section 8.3.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "http/message/method.h"
#include "http/web/middleware.h"

namespace volt::http {

struct CorsOptions {
  // "https://app.example", as browsers write it: scheme, host, and a port that is not the scheme's default. "*": every
  // site. "null" is the origin of sandboxed pages and local files, which any site can produce: avoid listing it.
  std::vector<std::string> origins = {};
  std::vector<Method> methods = {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::del};
  std::vector<std::string> headers = {"Content-Type", "Authorization"};  // allowed in requests; some are always allowed
  std::vector<std::string> expose = {};                                  // fields of responses that scripts may read
  bool credentials = false;                                              // allow cookies and other credentials
  std::chrono::seconds max_age = std::chrono::minutes(10);  // how long browsers cache a preflight's response
};

// Lets scripts of other sites read responses. Responds to preflight requests itself, for every path that has a route in
// the group, whatever the method of the route. List it before authentication, since preflight requests carry no
// credentials. A request from a site that is not listed is not refused, because CORS is not meant for that: the
// response merely lacks the fields that would let the site's scripts read it. Throws std::invalid_argument for "*"
// together with credentials, and for invalid field values.
[[nodiscard]] Middleware cors(CorsOptions options);

// A member with an empty value adds no field. A field that the handler has set stays unchanged.
struct SecurityHeaderOptions {
  bool nosniff = true;  // X-Content-Type-Options
  std::string referrer_policy = "strict-origin-when-cross-origin";
  std::string frame_options = "DENY";                              // for browsers without support for frame-ancestors
  std::string content_security_policy = "frame-ancestors 'none'";  // add rules for your pages' resources
  std::string cross_origin_opener_policy = "same-origin";
  std::string permissions_policy = {};
  // Duration in Strict-Transport-Security: browsers refuse plain HTTP to the whole host for that long. 0: the field is
  // not added. It is only added to responses over TLS (RFC 6797 section 7.2): a load balancer that terminates TLS must
  // add it itself.
  std::chrono::seconds hsts_max_age = std::chrono::seconds(0);
  bool hsts_include_subdomains = false;
};

// Throws std::invalid_argument for an invalid field value.
[[nodiscard]] Middleware security_headers(SecurityHeaderOptions options = {});

struct HttpsRedirectOptions {
  // The hosts, without ports, that are redirected; requests to others get 421. Empty: any host that the client names.
  std::vector<std::string> hosts = {};
  std::uint16_t port = 443;  // the TLS port that clients use; differs from the listening port if ports are mapped
  // Path prefixes that are served without TLS as well. The default is for ACME: a certificate authority requests this
  // path before there is a certificate.
  std::vector<std::string> except = {"/.well-known/acme-challenge/"};
};

// Redirects a request without TLS to its own path over https. The status is 308, which keeps the method. List this
// middleware first, before middleware that reads cookies and tokens. Use it only if this server terminates TLS: behind
// a load balancer that terminates TLS, no request arrives over TLS, so clients would be redirected in a loop. Throws
// std::invalid_argument for an invalid host or path.
[[nodiscard]] Middleware redirect_to_https(HttpsRedirectOptions options = {});

}  // namespace volt::http
