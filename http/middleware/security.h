// Middleware that tells browsers what other sites may do with an app's answers, and what its pages may do.
//
//   app.use(http::security_headers());
//   app.use(http::redirect_to_https());
//   api.use(http::cors({.origins = {"https://app.example"}, .credentials = true}));
//
// Threads: factories, called while the app is built. What they make may run on any worker.
// Cost: each one coroutine frame a request, and the fields that it adds.
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
  // "https://app.example", as browsers write it: scheme, host, and a port that is not the scheme's own. "*": every
  // site. "null" is what sandboxed pages and files are, which anyone can make: better not listed.
  std::vector<std::string> origins = {};
  std::vector<Method> methods = {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::del};
  std::vector<std::string> headers = {"Content-Type", "Authorization"};  // of requests, beside those always allowed
  std::vector<std::string> expose = {};                                  // of answers, for scripts to read
  bool credentials = false;                                              // cookies and the like are sent along
  std::chrono::seconds max_age = std::chrono::minutes(10);               // a preflight's answer is kept so long
};

// Lets scripts of other sites read the answers. Preflights are answered here, for every path that has a route in the
// group, whatever its method; so list it before what wants to know the user, as preflights carry no credentials. A site
// that is not listed gets the answer without the fields that would let it read it: refusing its requests is not what
// CORS is for. Throws std::invalid_argument for "*" together with credentials, and for values that are no field's.
[[nodiscard]] Middleware cors(CorsOptions options);

// An empty value: the field is not added. What a handler sets itself stays.
struct SecurityHeaderOptions {
  bool nosniff = true;  // X-Content-Type-Options
  std::string referrer_policy = "strict-origin-when-cross-origin";
  std::string frame_options = "DENY";                              // for browsers that know no frame-ancestors
  std::string content_security_policy = "frame-ancestors 'none'";  // an app knows best what else its pages load
  std::string cross_origin_opener_policy = "same-origin";
  std::string permissions_policy = {};
  // Strict-Transport-Security, if not 0: browsers then refuse plain HTTP to the whole host for that long. Only in answers
  // that go by TLS from here (RFC 6797 section 7.2): a balancer that ends TLS in front adds it itself.
  std::chrono::seconds hsts_max_age = std::chrono::seconds(0);
  bool hsts_include_subdomains = false;
};

// Throws std::invalid_argument for a value that no field can have.
[[nodiscard]] Middleware security_headers(SecurityHeaderOptions options = {});

struct HttpsRedirectOptions {
  // Whom requests may be meant for, without ports; others are answered 421. None: whomever the client names.
  std::vector<std::string> hosts = {};
  std::uint16_t port = 443;  // where clients reach TLS, which is not where this listens if something maps ports
  // Paths that begin so are served without TLS as well: authorities look there before there is a certificate.
  std::vector<std::string> except = {"/.well-known/acme-challenge/"};
};

// What came without TLS is sent to the same place by https: 308, so that the method stays. List it first, before what
// looks at cookies and tokens. For servers that end TLS themselves: behind a balancer that does, nothing ever comes by
// TLS, and clients would go round for ever. Throws std::invalid_argument for what is no host, and no path.
[[nodiscard]] Middleware redirect_to_https(HttpsRedirectOptions options = {});

}  // namespace volt::http
