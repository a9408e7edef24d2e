// SPDX-License-Identifier: MIT

#include "http/middleware/security.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "http/server/app.h"
#include "tests/support/in_process_app.h"

namespace volt::http {
namespace {

using test::AppRequest;
using test::InProcessApp;

App sample_app(Middleware middleware) {
  App app;
  auto api = app.group("/api");
  api.use(std::move(middleware));
  api.get("/items", [] { return Response::text("items").header("Referrer-Policy", "no-referrer"); });
  return app;
}

std::string field(const Response& response, std::string_view name) {
  return std::string(response.header(name).value_or(""));
}

}  // namespace

TEST_SUITE_BEGIN("http/middleware/security");

TEST_CASE("listed sites may read responses, by the Fetch standard's CORS protocol") {
  const CorsOptions listed{.origins = {"https://a.example", "https://b.example:8443"},
                           .methods = {Method::get, Method::put},
                           .headers = {"Content-Type"},
                           .expose = {"ETag"},
                           .credentials = true};
  const CorsOptions anyone{.origins = {"*"}};
  const struct {
    std::string_view why;
    const CorsOptions& options;
    FieldsOf fields;
    std::string origin, credentials, exposed, vary;
  } cases[] = {
      {"a listed site", listed, {{"Origin", "https://a.example"}}, "https://a.example", "true", "ETag", "Origin"},
      {"the port is part of the origin", listed, {{"Origin", "https://b.example"}}, "", "", "", "Origin"},
      {"the scheme is part of the origin", listed, {{"Origin", "http://a.example"}}, "", "", "", "Origin"},
      {"a prefix of the host does not match",
       listed,
       {{"Origin", "https://a.example.evil.example"}},
       "",
       "",
       "",
       "Origin"},
      {"null matches only if it is listed", listed, {{"Origin", "null"}}, "", "", "", "Origin"},
      {"a request without Origin gets Vary for caches", listed, {}, "", "", "", "Origin"},
      {"any site is allowed", anyone, {{"Origin", "https://c.example"}}, "*", "", "", ""},
  };
  for (const auto& [why, options, fields, origin, credentials, exposed, vary] : cases) {
    CAPTURE(why);
    InProcessApp asked(sample_app(cors(options)));
    const Response response = asked.get("/api/items", fields);
    CHECK(response.status() == Status::ok);
    CHECK(field(response, "Access-Control-Allow-Origin") == origin);
    CHECK(field(response, "Access-Control-Allow-Credentials") == credentials);
    CHECK(field(response, "Access-Control-Expose-Headers") == exposed);
    CHECK(field(response, "Vary") == vary);
  }
}

TEST_CASE("a preflight is served although no route accepts OPTIONS") {
  const CorsOptions options{.origins = {"https://a.example"},
                            .methods = {Method::get, Method::put},
                            .headers = {"Content-Type", "X-A"},
                            .max_age = std::chrono::seconds(60)};
  InProcessApp asked(sample_app(cors(options)));
  const auto preflight = [&](const std::string& path, const std::string& origin) {
    return asked.ask({.method = Method::options,
                      .path = path,
                      .fields = {{"Origin", origin}, {"Access-Control-Request-Method", "PUT"}}});
  };
  const Response allowed = preflight("/api/items", "https://a.example");
  CHECK(allowed.status() == Status::no_content);
  CHECK(field(allowed, "Access-Control-Allow-Origin") == "https://a.example");
  CHECK(field(allowed, "Access-Control-Allow-Methods") == "GET, PUT");
  CHECK(field(allowed, "Access-Control-Allow-Headers") == "Content-Type, X-A");
  CHECK(field(allowed, "Access-Control-Max-Age") == "60");
  CHECK(field(allowed, "Vary") == "Origin");
  const Response refused = preflight("/api/items", "https://evil.example");
  CHECK(refused.status() == Status::no_content);
  CHECK(refused.headers().lines() == "Vary: Origin\r\n");
  const test::AppRequest plain{.method = Method::options, .path = "/api/items"};
  CHECK(field(asked.ask(plain), "Allow") == "GET, HEAD, OPTIONS");
}

TEST_CASE("options that would open an app to every site with the user's cookies are refused when it is built") {
  const struct {
    std::string_view why;
    CorsOptions options;
  } cases[] = {
      {"Fetch: origin * with credentials", {.origins = {"*"}, .credentials = true}},
      {"Fetch: header * with credentials", {.origins = {"https://a"}, .headers = {"*"}, .credentials = true}},
      {"not an origin", {.origins = {"a.example"}}},
      {"an origin with a trailing slash", {.origins = {"https://a.example/"}}},
      {"an origin with a line break", {.origins = {"https://a\r\nb: c"}}},
      {"not a field name", {.origins = {"*"}, .expose = {"a b"}}},
  };
  for (const auto& [why, options] : cases) {
    CAPTURE(why);
    CHECK_THROWS_AS(static_cast<void>(cors(options)), std::invalid_argument);
  }
}

TEST_CASE("responses have security headers unless a handler sets its own") {
  const struct {
    std::string_view why;
    SecurityHeaderOptions options;
    std::string name, want;
  } cases[] = {
      {"browsers must not guess types", {}, "X-Content-Type-Options", "nosniff"},
      {"pages must not be framed", {}, "X-Frame-Options", "DENY"},
      {"pages must not be framed, for newer browsers", {}, "Content-Security-Policy", "frame-ancestors 'none'"},
      {"the handler's own field is kept", {}, "Referrer-Policy", "no-referrer"},
      {"6797 7.2: HSTS is off by default", {}, "Strict-Transport-Security", ""},
      {"HSTS is on", {.hsts_max_age = std::chrono::hours(1)}, "Strict-Transport-Security", "max-age=3600"},
      {"HSTS includes subdomains",
       {.hsts_max_age = std::chrono::hours(1), .hsts_include_subdomains = true},
       "Strict-Transport-Security",
       "max-age=3600; includeSubDomains"},
      {"an empty value omits the field", {.frame_options = ""}, "X-Frame-Options", ""},
      {"nosniff is off", {.nosniff = false}, "X-Content-Type-Options", ""},
  };
  for (const auto& [why, options, name, want] : cases) {
    CAPTURE(why);
    InProcessApp asked(sample_app(security_headers(options)));
    CHECK(field(asked.ask({.path = "/api/items", .secure = true}), name) == want);
  }
  CHECK_THROWS_AS(static_cast<void>(security_headers({.referrer_policy = "a\nb"})), std::invalid_argument);
}

TEST_CASE("6797 7.2: Strict-Transport-Security is added only to responses over TLS") {
  InProcessApp asked(sample_app(security_headers({.hsts_max_age = std::chrono::hours(1)})));
  const Response plain = asked.ask({.path = "/api/items", .secure = false});
  CHECK_FALSE(plain.header("Strict-Transport-Security"));
  CHECK(plain.header("X-Content-Type-Options"));
}

TEST_CASE("requests without TLS are redirected to the same path over https") {
  App app;
  app.use(redirect_to_https({.hosts = {"Site.example", "[::1]", "192.0.2.7"}, .port = 8443}));
  app.get("/items", [] { return "items"; });
  app.post("/items", [] { return "taken"; });
  app.get("/.well-known/acme-challenge/{token}", [] { return "challenge"; });
  InProcessApp asked(std::move(app));
  const struct {
    std::string_view why;
    AppRequest question;
    Status status;
    std::string location;
  } cases[] = {
      {"the configured port is used",
       {.path = "/items", .host = "site.example:8080"},
       Status::permanent_redirect,
       "https://site.example:8443/items"},
      {"the query is kept",
       {.path = "/items?a=1&b=%20", .host = "site.example"},
       Status::permanent_redirect,
       "https://site.example:8443/items?a=1&b=%20"},
      {"308 keeps the method",
       {.method = Method::post, .path = "/items", .host = "SITE.example"},
       Status::permanent_redirect,
       "https://SITE.example:8443/items"},
      {"a path cannot become a host",
       {.path = "//evil.example/", .host = "site.example"},
       Status::permanent_redirect,
       "https://site.example:8443//evil.example/"},
      {"an IPv6 address contains colons",
       {.path = "/items", .host = "[::1]:80"},
       Status::permanent_redirect,
       "https://[::1]:8443/items"},
      {"an IPv4 address contains none",
       {.path = "/items", .host = "192.0.2.7"},
       Status::permanent_redirect,
       "https://192.0.2.7:8443/items"},
      {"a path without a route is redirected too",
       {.path = "/none", .host = "site.example"},
       Status::permanent_redirect,
       "https://site.example:8443/none"},
      {"a host that is not listed is misdirected",
       {.path = "/items", .host = "evil.example"},
       Status::misdirected_request,
       ""},
      {"a host that begins like a listed one is misdirected",
       {.path = "/items", .host = "site.example.evil"},
       Status::misdirected_request,
       ""},
      {"HTTP/1.0 may have no Host", {.path = "/items", .host = ""}, Status::bad_request, ""},
      {"8555 8.3: ACME challenges are served without TLS",
       {.path = "/.well-known/acme-challenge/token", .host = "evil.example"},
       Status::ok,
       ""},
      {"a request over TLS is served", {.path = "/items", .host = "evil.example", .secure = true}, Status::ok, ""},
  };
  for (const auto& [why, question, status, location] : cases) {
    CAPTURE(why);
    const Response response = asked.ask(question);
    CHECK(response.status() == status);
    CHECK(field(response, "Location") == location);
  }
}

TEST_CASE("the default port is omitted, and any host is redirected unless hosts are listed") {
  App app;
  app.use(redirect_to_https({.except = {}}));
  InProcessApp asked(std::move(app));
  const Response response = asked.ask({.path = "/.well-known/acme-challenge/token", .host = "any.example:80"});
  CHECK(field(response, "Location") == "https://any.example/.well-known/acme-challenge/token");
}

TEST_CASE("invalid hosts and paths are refused when the app is built") {
  for (const std::string host : {"", "a:80", "a b", "a/", "[::1]:443"}) {
    CAPTURE(host);
    CHECK_THROWS_AS(static_cast<void>(redirect_to_https({.hosts = {host}})), std::invalid_argument);
  }
  CHECK_THROWS_AS(static_cast<void>(redirect_to_https({.except = {"acme"}})), std::invalid_argument);
}

TEST_SUITE_END();
}  // namespace volt::http
