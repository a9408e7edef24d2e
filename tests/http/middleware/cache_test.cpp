// SPDX-License-Identifier: MIT

#include "http/middleware/cache.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/middleware/etag.h"
#include "http/server/app.h"
#include "http/web/problem.h"
#include "http/web/stream.h"
#include "runtime/concurrent.h"
#include "runtime/notify.h"
#include "runtime/time.h"
#include "tests/support/in_process_app.h"
#include "tests/support/reported_metrics.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::AppRequest;
using test::InProcessApp;

// An app with one route, behind a cache, on a manual clock. The handler answers with its number of calls.
class CachedApp {
 public:
  using Compose = std::function<Response(const Request&)>;

  explicit CachedApp(Compose compose, ResponseCacheOptions options = {})
      : cache(std::make_shared<ResponseCache>(std::move(options))), app_(make(std::move(compose)), clock()) {}

  Response get(std::string path, FieldsOf fields = {}) { return app_.get(std::move(path), std::move(fields)); }
  std::string body(std::string path, FieldsOf fields = {}) {
    return std::string(get(std::move(path), std::move(fields)).body());
  }
  Response ask(const AppRequest& question) { return app_.ask(question); }
  void advance(std::chrono::seconds time) { app_.runtime().advance_clock(time); }
  void remove(std::string tag) {
    app_.runtime().block_on([&] { return cache->remove(tag); });
  }
  [[nodiscard]] double outcomes(const std::string& outcome) const {
    return test::ReportedMetrics(*cache).at("volt_http_cache_requests_total " + outcome);
  }
  InProcessApp& app() { return app_; }

  const std::shared_ptr<ResponseCache> cache;
  int calls = 0;

 private:
  static RuntimeOptions clock() {
    RuntimeOptions options = test_options(1);
    options.manual_clock = true;
    return options;
  }

  App make(Compose compose) {
    App app;
    app.use(http::cache(cache));
    const auto handler = [this, compose = std::move(compose)](Request& request) {
      ++calls;
      return compose(request);
    };
    app.get("/", handler);
    app.get("/{name}", handler);
    app.post("/{name}", [](Request& request) { return request.path() == "/fails" ? Status::conflict : Status::ok; });
    return app;
  }

  InProcessApp app_;
};

Task<> write_none(BodyWriter&) { co_return; }

Response with(std::string cache_control, std::string body = "body") {
  return Response::text(std::move(body)).header("Cache-Control", cache_control);
}

}  // namespace

TEST_SUITE_BEGIN("http/middleware/cache");

TEST_CASE("a response is served from the cache with its Age until its lifetime ends") {
  CachedApp app([](const Request&) {
    return with("max-age=60", "page").header("X-A", "1").add_header("X-A", "2").header("Cache-Tag", "a");
  });
  const Response first = app.get("/page");
  CHECK_FALSE(first.header("Age"));
  CHECK_FALSE(first.header("Cache-Tag"));
  app.advance(59s);
  const Response second = app.get("/page");
  CHECK(second.header("Age") == "59");
  CHECK(second.body() == "page");
  CHECK(second.content_type() == "text/plain; charset=utf-8");
  CHECK(second.headers().lines().find("X-A: 1\r\nX-A: 2\r\n") != std::string_view::npos);
  CHECK_FALSE(second.header("Cache-Tag"));
  CHECK(app.ask({.method = Method::head, .path = "/page"}).header("Age") == "59");
  CHECK(app.calls == 1);
  app.advance(1s);
  CHECK_FALSE(app.get("/page").header("Age"));
  CHECK(app.calls == 2);
  CHECK(app.outcomes("hit") == 2);
  CHECK(app.outcomes("miss") == 2);
}

TEST_CASE("which responses are kept follows RFC 9111 for shared caches") {
  struct Case {
    std::string_view why;
    FieldsOf request;
    std::string cache_control;
    Status status;
    bool kept;
  };
  const Status ok = Status::ok;
  const Case cases[] = {
      {"5.2.2.1: max-age", {}, "max-age=1", ok, true},
      {"5.2.2.10: s-maxage", {}, "s-maxage=1", ok, true},
      {"s-maxage overrides max-age", {}, "max-age=60, s-maxage=0", ok, false},
      {"no lifetime", {}, "public", ok, false},
      {"no field", {}, "", ok, false},
      {"5.2.2.5: no-store", {}, "max-age=60, no-store", ok, false},
      {"5.2.2.7: private", {}, "max-age=60, Private", ok, false},
      {"5.2.2.7: private with field names", {}, "max-age=60, private=\"x-a, x-b\"", ok, false},
      {"5.2.2.4: no-cache", {}, "max-age=60, no-cache", ok, false},
      {"4.2.1: an invalid lifetime is none", {}, "max-age=1x", ok, false},
      {"the smaller of two lifetimes", {}, "max-age=60, max-age=0", ok, false},
      {"a quoted number", {}, "max-age=\"60\"", ok, true},
      {"a lifetime beyond 2^63", {}, "max-age=99999999999999999999", ok, true},
      {"an unknown directive", {}, "max-age=60, x=\"no-store, private\"", ok, true},
      {"3.5: a request with Authorization", {{"Authorization", "Basic eA=="}}, "max-age=60", ok, false},
      {"3.5: public", {{"Authorization", "Basic eA=="}}, "max-age=60, public", ok, true},
      {"3.5: must-revalidate", {{"Authorization", "Basic eA=="}}, "max-age=60, must-revalidate", ok, true},
      {"5.2.2.8: proxy-revalidate does not permit it",
       {{"Authorization", "Basic eA=="}},
       "max-age=60, proxy-revalidate",
       ok,
       false},
      {"3.5: s-maxage", {{"Authorization", "Basic eA=="}}, "s-maxage=60", ok, true},
      {"a cookie does not matter if the handler is explicit", {{"Cookie", "a=b"}}, "max-age=60", ok, true},
      {"5.2.1.5: a request with no-store", {{"Cache-Control", "no-store"}}, "max-age=60", ok, false},
      {"a part of the representation", {{"Range", "bytes=0-1"}}, "max-age=60", ok, false},
      {"404", {}, "max-age=60", Status::not_found, true},
      {"301", {}, "max-age=60", Status::moved_permanently, true},
      {"206 without Range", {}, "max-age=60", Status::partial_content, false},
      {"400 is the fault of one request", {}, "max-age=60", Status::bad_request, false},
      {"500", {}, "max-age=60", Status::internal_server_error, false},
  };
  for (const auto& [why, request, cache_control, status, kept] : cases) {
    CAPTURE(why);
    CachedApp app([&](const Request&) {
      Response response = Response::text("body", status);
      if (!cache_control.empty()) response.header("Cache-Control", cache_control);
      return response;
    });
    CHECK(app.get("/", request).status() == status);
    CHECK(app.get("/", request).status() == status);
    CHECK(app.calls == (kept ? 1 : 2));
  }
}

TEST_CASE("cookies, streams, large bodies and Vary: * are not kept; Expires and an upstream's Age count") {
  const struct {
    std::string_view why;
    std::function<Response()> compose;
    bool kept;
  } cases[] = {
      {"Set-Cookie", [] { return with("max-age=60").add_header("Set-Cookie", "a=b"); }, false},
      {"Vary: *", [] { return with("max-age=60").header("Vary", "Accept, *"); }, false},
      {"a body of the largest size", [] { return with("max-age=60", std::string(100, 'b')); }, true},
      {"a larger body", [] { return with("max-age=60", std::string(101, 'b')); }, false},
      {"Expires in the future", [] { return Response::text("").header("Expires", "Tue, 01 Jan 2199 00:00:00 GMT"); },
       true},
      {"Expires beyond 2^63 nanoseconds",
       [] { return Response::text("").header("Expires", "Fri, 31 Dec 9999 23:59:59 GMT"); }, true},
      {"Expires in the past", [] { return Response::text("").header("Expires", "Sat, 01 Jan 2000 00:00:00 GMT"); },
       false},
      {"5.3: an invalid date has passed", [] { return Response::text("").header("Expires", "0"); }, false},
      {"an age below the lifetime", [] { return with("max-age=60").header("Age", "59"); }, true},
      {"an age that exceeds the lifetime", [] { return with("max-age=60").header("Age", "60"); }, false},
      {"too many tags to remember", [] { return with("max-age=60").header("Cache-Tag", std::string(257, 't')); },
       false},
      {"a streamed body", [] { return stream("text/plain", write_none).header("Cache-Control", "max-age=60"); }, false},
      {"a static body", [] { return Response::fixed("static").header("Cache-Control", "max-age=60"); }, true},
  };
  for (const auto& [why, compose, kept] : cases) {
    CAPTURE(why);
    CachedApp app([&](const Request&) { return compose(); }, {.body_bytes_max = 100});
    const std::string first = app.body("/");
    CHECK(app.body("/") == first);
    CHECK(app.calls == (kept ? 1 : 2));
  }
  CachedApp upstream([](const Request&) { return with("max-age=60").header("Age", "40"); });
  CHECK(upstream.get("/").header("Age") == "40");
  upstream.advance(5s);
  CHECK(upstream.get("/").header("Age") == "45");
}

TEST_CASE("the key is scheme, host, path and query, whose parameters are sorted by name") {
  CachedApp app([](const Request&) { return with("max-age=60"); });
  const AppRequest same[] = {{.path = "/a?x=1&y=2&x=0"}, {.path = "/a?y=2&x=1&x=0"}, {.path = "/a?x=1&x=0&y=2"}};
  for (const AppRequest& question : same) CHECK(app.ask(question).status() == Status::ok);
  CHECK(app.calls == 1);
  const AppRequest others[] = {{.path = "/a"},
                               {.path = "/A?x=1&y=2&x=0"},
                               {.path = "/a?x=0&x=1&y=2"},
                               {.path = "/a?x=1&y=2&x=0", .host = "b"},
                               {.path = "/a?x=1&y=2&x=0", .secure = true}};
  int calls = 1;
  for (const AppRequest& question : others) {
    CHECK(app.ask(question).status() == Status::ok);
    CHECK(app.calls == ++calls);
  }
  CHECK(app.ask({.path = "/a?x=1&y=2&x=0", .host = "A"}).header("Age"));  // hosts are case-insensitive
}

TEST_CASE("chosen parameters and the configured key select responses") {
  CachedApp app([](const Request& request) { return with("max-age=60", std::string(request.query())); },
                {.query = {{"page"}},
                 .key = [](const Request& request) { return std::string(request.header("tenant").value_or("")); }});
  CHECK(app.body("/?page=2&utm=a") == "page=2&utm=a");
  CHECK(app.body("/?utm=b&page=2") == "page=2&utm=a");
  CHECK(app.body("/?page=3") == "page=3");
  CHECK(app.body("/?p%61ge=4&page=2") == "p%61ge=4&page=2");  // the handler sees two parameters `page`
  CHECK(app.body("/?page=2", {{"tenant", "b"}}) == "page=2");
  CHECK(app.calls == 4);
}

TEST_CASE("responses are selected by the fields that Vary names, with normalized values") {
  CachedApp app([](const Request& request) {
    return with("max-age=60", std::string(request.header("accept-language").value_or("none")))
        .header("Vary", "Accept-Language")
        .add_header("Vary", "accept-encoding");
  });
  CHECK(app.body("/", {{"Accept-Language", "de, en"}}) == "de, en");
  CHECK(app.body("/", {{"Accept-Language", "fr"}}) == "fr");
  CHECK(app.body("/") == "none");
  CHECK(app.body("/", {{"Accept-Language", ""}}) == "");
  CHECK(app.calls == 4);
  CHECK(app.body("/", {{"Accept-Language", "DE ,en"}}) == "de, en");
  CHECK(app.body("/", {{"Accept-Language", "de"}, {"Accept-Language", "en"}}) == "de, en");
  CHECK(app.calls == 4);
  for (const char* codings : {"br, gzip", "gzip,br", "GZIP , br, deflate, x-unknown"}) {
    CHECK(app.body("/", {{"Accept-Language", "fr"}, {"Accept-Encoding", codings}}) == "fr");
  }
  CHECK(app.calls == 5);
  CHECK(app.body("/", {{"Accept-Language", "fr"}, {"Accept-Encoding", "br;q=0.5, gzip"}}) == "fr");
  CHECK(app.calls == 6);
}

TEST_CASE("conditions are evaluated for cached and for new responses") {
  CachedApp app([](const Request&) {
    return with("max-age=60").header("ETag", "\"v1\"").header("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT");
  });
  const Response missed = app.get("/", {{"If-None-Match", "\"v1\""}});
  CHECK(missed.status() == Status::not_modified);
  const Response hit = app.get("/", {{"If-None-Match", "W/\"v1\""}});
  CHECK(hit.status() == Status::not_modified);
  CHECK(hit.body().empty());
  CHECK(hit.header("ETag") == "\"v1\"");
  CHECK(hit.header("Age") == "0");
  CHECK(app.get("/", {{"If-Modified-Since", "Sun, 02 Jan 2000 00:00:00 GMT"}}).status() == Status::not_modified);
  CHECK(app.get("/", {{"If-None-Match", "\"v0\""}}).body() == "body");
  CHECK(app.get("/", {{"If-Match", "\"v0\""}}).status() == Status::precondition_failed);
  CHECK(app.calls == 1);
}

TEST_CASE("a 304 of the handler does not end the waits of others, nor make the key pass") {
  App app;
  const auto cached = std::make_shared<ResponseCache>();
  int calls = 0;
  app.use(cache(cached), etag());
  app.get("/", [&calls] {
    ++calls;
    return with("max-age=60");
  });
  InProcessApp asked(std::move(app));
  const std::string tag(asked.get("/a").header("ETag").value_or(""));
  CHECK(tag.empty());
  const Response first = asked.get("/", {{"If-None-Match", "*"}});
  CHECK(first.status() == Status::not_modified);
  CHECK(asked.get("/").status() == Status::ok);
  CHECK(asked.get("/").header("Age"));
  CHECK(calls == 2);
}

TEST_CASE("a tag, a path or a successful change removes responses; a failed one does not") {
  CachedApp app([](const Request& request) {
    return with("max-age=60").header("Cache-Tag", request.path() == "/a" ? "list, item 1" : "item 2");
  });
  const auto calls_of = [&](std::string path) {
    const int before = app.calls;
    CHECK(app.get(path).status() == Status::ok);
    return app.calls - before;
  };
  for (const char* path : {"/a", "/a?q=1", "/b"}) CHECK(calls_of(path) == 1);
  app.remove("list");
  CHECK(calls_of("/a") == 1);
  CHECK(calls_of("/a?q=1") == 1);
  CHECK(calls_of("/b") == 0);
  app.remove("item 2");
  CHECK(calls_of("/a") == 0);
  CHECK(calls_of("/b") == 1);
  app.remove("/a");
  CHECK(calls_of("/a?q=1") == 1);
  CHECK(calls_of("/b") == 0);
  CHECK(app.ask({.method = Method::post, .path = "/b"}).status() == Status::ok);
  CHECK(calls_of("/b") == 1);
  CHECK(calls_of("/fails") == 1);
  CHECK(app.ask({.method = Method::post, .path = "/fails"}).status() == Status::conflict);
  CHECK(calls_of("/fails") == 0);
}

TEST_CASE("a response that was being made when its tag was removed is neither kept nor shared with later requests") {
  Notify entered;
  Notify leave;
  int calls = 0;
  const auto cached = std::make_shared<ResponseCache>();
  App app;
  app.use(cache(cached));
  app.get("/", [&]() -> Task<Response> {
    const int call = ++calls;
    entered.notify_one();
    co_await leave.notified();
    co_return with("max-age=60", std::to_string(call));
  });
  InProcessApp asked(std::move(app), test_options(1));
  const AppRequest question;
  const auto ask = [&] { return asked.respond(question); };
  const auto change = [&]() -> Task<Response> {
    co_await entered.notified();
    co_await cached->remove("/");
    const auto let_both_go = [&]() -> Task<> {
      leave.notify_one();
      co_await entered.notified();  // the second request does not take the first one's response
      leave.notify_one();
    };
    auto [after, none] = co_await all(ask, let_both_go);
    co_return std::move(after);
  };
  const auto run = [&] { return all(ask, change); };
  const auto [before, after] = asked.runtime().block_on(run);
  CHECK(before.body() == "1");
  CHECK(after.body() == "2");
  CHECK(calls == 2);
}

TEST_CASE("stale responses are served while one request makes the next, and instead of errors") {
  Notify entered;
  Notify leave;
  int calls = 0;
  bool fails = false;
  const auto cached = std::make_shared<ResponseCache>();
  App app;
  app.use(cache(cached));
  app.get("/", [&]() -> Task<Response> {
    if (++calls == 2) {
      entered.notify_one();
      co_await leave.notified();
    }
    if (fails) throw unavailable();
    co_return with("max-age=10, stale-while-revalidate=20, stale-if-error=100", std::to_string(calls));
  });
  RuntimeOptions options = test_options(1);
  options.manual_clock = true;
  InProcessApp asked(std::move(app), options);
  CHECK(asked.get("/").body() == "1");
  asked.runtime().advance_clock(15s);
  const AppRequest question;
  const auto ask = [&] { return asked.respond(question); };
  const auto ask_while_it_is_made = [&]() -> Task<Response> {
    co_await entered.notified();
    Response stale = co_await ask();
    leave.notify_one();
    co_return stale;
  };
  const auto run = [&] { return all(ask, ask_while_it_is_made); };
  const auto [fresh, stale] = asked.runtime().block_on(run);
  CHECK(fresh.body() == "2");
  CHECK(stale.body() == "1");
  CHECK(stale.header("Age") == "15");
  CHECK(asked.get("/").body() == "2");
  fails = true;
  asked.runtime().advance_clock(100s);
  CHECK(asked.get("/").body() == "2");
  CHECK(calls == 3);
  asked.runtime().advance_clock(20s);
  CHECK(asked.get("/").status() == Status::service_unavailable);
  CHECK(test::ReportedMetrics(*cached).at("volt_http_cache_requests_total stale") == 2);
}

TEST_CASE("must-revalidate forbids stale responses") {
  bool fails = false;
  CachedApp app([&](const Request&) {
    return fails ? Response(Status::bad_gateway) : with("max-age=10, stale-if-error=100, proxy-revalidate");
  });
  CHECK(app.get("/").status() == Status::ok);
  fails = true;
  app.advance(11s);
  CHECK(app.get("/").status() == Status::bad_gateway);
}

TEST_CASE("clients may demand a cached response, or a new one if that is allowed") {
  for (const bool may : {false, true}) {
    CachedApp app([](const Request&) { return with("max-age=60"); }, {.client_may_refresh = may});
    CHECK(app.get("/", {{"Cache-Control", "only-if-cached"}}).status() == Status::gateway_timeout);
    CHECK(app.calls == 0);
    CHECK(app.get("/").status() == Status::ok);
    CHECK(app.get("/", {{"Cache-Control", "only-if-cached"}}).status() == Status::ok);
    CHECK(app.get("/", {{"Cache-Control", "no-cache"}}).status() == Status::ok);
    CHECK(app.calls == (may ? 2 : 1));
  }
}

TEST_CASE("a default lifetime applies to anonymous requests for responses that say nothing") {
  CachedApp app([](const Request&) { return Response::text("body"); }, {.default_age = 5s, .pass_for = 0ms});
  CHECK_FALSE(app.get("/", {{"Cookie", "a=b"}}).header("Age"));
  CHECK_FALSE(app.get("/").header("Age"));
  CHECK(app.get("/").header("Age"));
  CHECK(app.get("/", {{"Cookie", "a=b"}}).header("Age"));  // what every client gets
  app.advance(5s);
  CHECK_FALSE(app.get("/").header("Age"));
}

TEST_CASE("a null cache is refused") {
  CHECK_THROWS_AS(static_cast<void>(cache(std::shared_ptr<ResponseCache>())), std::invalid_argument);
}

TEST_SUITE_END();
}  // namespace volt::http
