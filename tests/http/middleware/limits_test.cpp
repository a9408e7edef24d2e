// SPDX-License-Identifier: MIT

#include "http/middleware/limits.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "http/server/app.h"
#include "http/web/extract.h"
#include "http/web/problem.h"
#include "runtime/base/atomic.h"
#include "runtime/concurrent.h"
#include "runtime/notify.h"
#include "runtime/time.h"
#include "tests/support/http_client.h"
#include "tests/support/in_process_app.h"
#include "tests/support/served_app.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using base::relaxed;
using test::InProcessApp;

// A body of which nothing was received with the head.
struct Unread final : BodySource {
  [[nodiscard]] Task<std::optional<std::string_view>> next() override { co_return std::nullopt; }
  [[nodiscard]] Task<std::string_view> rest() override { co_return ""; }
  [[nodiscard]] bool at_end() const noexcept override { return false; }
  void limit(std::uint64_t bytes) noexcept override { bytes_max = bytes; }
  [[nodiscard]] Fields trailers() const noexcept override { return {}; }

  std::uint64_t bytes_max = 0;
};

// Counts how many calls of a handler run at once.
struct Load {
  base::Atomic<int> now{0};
  base::Atomic<int> most{0};

  void enter() {
    const int running = now.fetch_add(1, relaxed) + 1;  // relaxed: a count
    int before = most.load(relaxed);                    // relaxed: a count
    while (before < running && !most.compare_exchange_weak(before, running, relaxed)) {
    }
  }
  void leave() { now.fetch_sub(1, relaxed); }  // relaxed: a count
};

}  // namespace

TEST_SUITE_BEGIN("http/middleware/limits");

TEST_CASE("a response that takes too long becomes a 503, and its handler is cancelled") {
  bool unwound = false;
  struct Witness {
    bool& unwound;
    ~Witness() { unwound = true; }
  };
  const auto app_with = [&unwound](std::chrono::nanoseconds limit) {
    App app;
    app.use(timeout(limit));
    app.get("/slow", [&unwound]() -> Task<std::string> {
      const Witness witness{unwound};
      co_await sleep_for(1h);
      co_return "never";
    });
    app.get("/fast", [] { return "fast"; });
    app.get("/throws", []() -> Task<std::string> {
      co_await yield();
      throw not_found("nothing");
    });
    return app;
  };
  InProcessApp asked(app_with(20ms));
  const Response slow = asked.get("/slow");
  CHECK(slow.status() == Status::service_unavailable);
  CHECK(slow.header("Retry-After") == "1");
  CHECK(slow.content_type() == "application/problem+json");
  CHECK(unwound);
  InProcessApp patient(app_with(1h));
  CHECK(patient.get("/fast").body() == "fast");
  CHECK(patient.get("/throws").status() == Status::not_found);
  CHECK_THROWS_AS(static_cast<void>(timeout(0ms)), std::invalid_argument);
}

TEST_CASE("a body whose Content-Length exceeds the limit is refused before it is read") {
  const struct {
    std::string_view why;
    FieldsOf fields;
    std::string body;
    int status;
  } cases[] = {
      {"9110 15.5.14: Content-Length above the limit", {{"Content-Length", "11"}}, "", 413},
      {"Content-Length equal to the limit", {{"Content-Length", "10"}}, "", 200},
      {"a received body above the limit", {}, "elevenbytes", 413},
      {"unknown length: limited while the body is read", {}, "", 200},
      {"the largest possible Content-Length", {{"Content-Length", "9223372036854775807"}}, "", 413},
  };
  for (const auto& [why, fields, body, status] : cases) {
    CAPTURE(why);
    App app;
    app.use(body_limit(10));
    app.post("/", [] { return Status::ok; });
    InProcessApp asked(std::move(app));
    CHECK(code(asked.ask({.method = Method::post, .fields = fields, .body = body}).status()) == status);
  }
}

TEST_CASE("the strictest of several limits applies to a body of unknown length") {
  for (const auto& [outer, inner] : {std::pair(10, 5), std::pair(5, 10)}) {
    CAPTURE(outer);
    Unread body;
    App app;
    app.use(body_limit(static_cast<std::uint64_t>(outer)), body_limit(static_cast<std::uint64_t>(inner)));
    app.post("/", [] { return Status::ok; });
    const server::Service service(std::move(app).release());
    Runtime runtime(test_options());
    const auto ask = [&]() -> Task<Response> {
      Request request(
          message::RequestHead{
              .method = Method::post, .target = "/", .path = "/", .query = {}, .host = "a", .fields = {}},
          {}, &body);
      co_return co_await server::respond_later(service.find(request), request);
    };
    CHECK(runtime.block_on(ask).status() == Status::ok);
    CHECK(body.bytes_max == 5);
  }
}

TEST_CASE("a client that exceeds its rate gets a 429 with Retry-After") {
  RuntimeOptions options = test_options(1);
  options.manual_clock = true;
  App app;
  app.use(rate_limit({.per_second = 0.5, .burst = 2}));
  app.get("/", [] { return "well"; });
  InProcessApp asked(std::move(app), options);
  const struct {
    std::string_view why;
    std::chrono::seconds later;
    std::string peer;
    int status;
    std::string retry_after;
  } cases[] = {
      {"the first request of a burst", 0s, "192.0.2.1:1", 200, ""},
      {"the second, on another connection", 0s, "192.0.2.1:2", 200, ""},
      {"6585 4: the burst is used up", 0s, "192.0.2.1:1", 429, "2"},
      {"another client", 0s, "192.0.2.2:1", 200, ""},
      {"after half of Retry-After", 1s, "192.0.2.1:1", 429, "1"},
      {"after all of Retry-After", 1s, "192.0.2.1:1", 200, ""},
      {"the regained token is used up", 0s, "192.0.2.1:1", 429, "2"},
      {"IPv6: one address of a network", 0s, "[2001:db8::1]:1", 200, ""},
      {"another address of the network", 0s, "[2001:db8::2]:1", 200, ""},
      {"addresses of one network share a bucket", 0s, "[2001:db8::3]:1", 429, "2"},
      {"an address of another network", 0s, "[2001:db8:0:1::1]:1", 200, ""},
  };
  for (const auto& [why, later, peer, status, retry_after] : cases) {
    CAPTURE(why);
    if (later != 0s) asked.runtime().advance_clock(later);
    const Response response = asked.ask({.peer = peer});
    CHECK(code(response.status()) == status);
    CHECK(response.header("Retry-After").value_or("") == retry_after);
  }
}

TEST_CASE("requests are counted by the configured key") {
  App app;
  app.use(rate_limit({.per_second = 0.001, .burst = 1, .key = [](const Request& request) {
                        return std::string(request.header("api-key").value_or(""));
                      }}));
  app.get("/", [] { return "well"; });
  InProcessApp asked(std::move(app));
  CHECK(asked.get("/", {{"api-key", "a"}}).status() == Status::ok);
  CHECK(asked.get("/", {{"api-key", "b"}}).status() == Status::ok);
  CHECK(asked.get("/", {{"api-key", "a"}}).status() == Status::too_many_requests);
}

TEST_CASE("invalid limits are refused when the app is built") {
  const RateLimitOptions cases[] = {{.per_second = 0}, {.per_second = -1}, {.burst = 0}, {.per_second = 1e-9}};
  for (const RateLimitOptions& options : cases) {
    CHECK_THROWS_AS(static_cast<void>(rate_limit(options)), std::invalid_argument);
  }
  CHECK_THROWS_AS(static_cast<void>(concurrency_limit({.running_max = 0})), std::invalid_argument);
}

TEST_CASE("concurrent clients do not exceed their rate, whichever workers serve them") {
  base::Atomic<int> served{0};
  App app;
  app.use(rate_limit({.per_second = 0.001, .burst = 50}));
  app.get("/", [&served] {
    served.fetch_add(1, relaxed);  // relaxed: a count
    return "";
  });
  InProcessApp asked(std::move(app), test_options(4));
  const auto ask_often = [&]() -> Task<> {
    const test::AppRequest question;
    for (int i = 0; i != 40; ++i) {
      const Response response = co_await asked.respond(question);
      co_await yield();
    }
  };
  asked.runtime().block_on([&] { return all(ask_often, ask_often, ask_often); });
  CHECK(served.load(relaxed) == 50);  // relaxed: all tasks have been joined
}

TEST_CASE("running_max requests run, waiting_max wait, and others are refused at once") {
  Notify entered;
  Notify leave;
  App app;
  app.use(concurrency_limit({.running_max = 1, .waiting_max = 1, .wait_max = 1h, .retry_after = 3s}));
  app.get("/", [&]() -> Task<std::string> {
    entered.notify_one();
    co_await leave.notified();
    co_return "well";
  });
  InProcessApp asked(std::move(app), test_options(1));
  const test::AppRequest question;
  const auto ask = [&] { return asked.respond(question); };
  const auto ask_thrice = [&]() -> Task<Response> {
    co_await entered.notified();  // the first request runs
    const auto third_and_then_leave = [&]() -> Task<Response> {
      co_await sleep_for(5ms);  // the second request waits
      Response refused = co_await ask();
      leave.notify_one();
      co_await entered.notified();
      leave.notify_one();
      co_return refused;
    };
    auto [second, third] = co_await all(ask, third_and_then_leave);
    CHECK(second.body() == "well");
    co_return std::move(third);
  };
  const auto run = [&] { return all(ask, ask_thrice); };
  auto [first, third] = asked.runtime().block_on(run);
  CHECK(first.body() == "well");
  CHECK(third.status() == Status::service_unavailable);
  CHECK(third.header("Retry-After") == "3");
}

TEST_CASE("a request that waits too long is refused, and its place becomes free") {
  Notify entered;
  Notify leave;
  App app;
  app.use(concurrency_limit({.running_max = 1, .waiting_max = 1, .wait_max = 10ms}));
  app.get("/", [&]() -> Task<std::string> {
    entered.notify_one();
    co_await leave.notified();
    co_return "well";
  });
  InProcessApp asked(std::move(app), test_options(1));
  const test::AppRequest question;
  const auto ask = [&] { return asked.respond(question); };
  const auto wait_twice = [&]() -> Task<int> {
    co_await entered.notified();
    int refused = 0;
    for (int i = 0; i != 2; ++i) {
      const Response response = co_await ask();
      refused += response.status() == Status::service_unavailable ? 1 : 0;
    }
    leave.notify_one();
    co_return refused;
  };
  const auto [first, refused] = asked.runtime().block_on([&] { return all(ask, wait_twice); });
  CHECK(first.body() == "well");
  CHECK(refused == 2);
}

TEST_CASE("cancelled requests neither exceed running_max nor lose a place") {
  Load load;
  App app;
  app.use(timeout(2ms), concurrency_limit({.running_max = 2, .waiting_max = 4, .wait_max = 1ms}));
  app.get("/{us}", [&load](Path<int> us) -> Task<std::string> {
    load.enter();
    struct Leaving {
      Load& load;
      ~Leaving() { load.leave(); }
    } const leaving{load};
    co_await sleep_for(std::chrono::microseconds(*us));
    co_return "well";
  });
  InProcessApp asked(std::move(app), test_options(4));
  const auto ask_often = [&]() -> Task<> {
    for (int i = 0; i != 40; ++i) {
      const test::AppRequest question{.path = i % 8 == 0 ? "/100000" : "/200"};
      const Response response = co_await asked.respond(question);
      if (i % 3 == 0) co_await yield();
    }
  };
  asked.runtime().block_on([&] { return all(ask_often, ask_often, ask_often, ask_often, ask_often, ask_often); });
  CHECK(load.now.load(relaxed) == 0);   // relaxed: all tasks have been joined
  CHECK(load.most.load(relaxed) <= 2);  // relaxed: all tasks have been joined
  CHECK(test::eventually([&] { return asked.get("/1").body() == "well"; }));
  CHECK(test::eventually([&] { return asked.get("/1").body() == "well"; }));
}

TEST_CASE("over a socket: a timeout responds 503, and the connection is kept") {
  App app;
  app.use(timeout(30ms));
  app.get("/slow", []() -> Task<std::string> {
    co_await sleep_for(1h);
    co_return "never";
  });
  app.post("/upload", [](Request& request) { return std::string(request.body()); });
  app.get("/fast", [] { return "fast"; });
  test::ServedApp served(std::move(app));
  test::HttpClient client(served.port());
  CHECK(client.ask("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").status == 503);
  CHECK(client.ask("GET /fast HTTP/1.1\r\nHost: a\r\n\r\n").body == "fast");
  const test::Reply reply = client.ask("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc");
  CHECK(reply.status == 503);
  client.send("de");
  CHECK(client.ask("GET /fast HTTP/1.1\r\nHost: a\r\n\r\n").body == "fast");
}

TEST_CASE("over a socket: a request beyond the limit is refused while another is served") {
  Load load;
  Notify leave;
  App app;
  app.use(concurrency_limit({.running_max = 1, .waiting_max = 0}));
  app.get("/", [&]() -> Task<std::string> {
    load.enter();
    co_await leave.notified();
    co_return "well";
  });
  test::ServedApp served(std::move(app));
  test::HttpClient first(served.port());
  test::HttpClient second(served.port());
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  first.send(request);
  REQUIRE(test::eventually([&] { return load.now.load(relaxed) == 1; }));  // relaxed: a count
  const test::Reply refused = second.ask(request);
  CHECK(refused.status == 503);
  CHECK(refused.field("Retry-After") == "1");
  leave.notify_one();
  CHECK(first.read().body == "well");
  leave.notify_one();
  CHECK(second.ask(request).body == "well");
}

TEST_CASE("over a socket: a body is refused as soon as it exceeds its limit") {
  App app;
  app.use(body_limit(8));
  app.post("/", [](Request& request) { return std::string(request.body()); });
  test::ServedApp served(std::move(app));
  test::HttpClient client(served.port());
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(client.ask(head + "4\r\nabcd\r\n0\r\n\r\n").body == "abcd");
  CHECK(client.ask(head + "4\r\nabcd\r\n5\r\nefghi\r\n0\r\n\r\n").status == 413);
}

TEST_CASE("over a socket: a route may allow a larger body than the server, with Content-Length or chunks") {
  App app;
  app.group("/large").use(body_limit(200)).post("/echo", [](Request& request) { return std::string(request.body()); });
  app.post("/echo", [](Request& request) { return std::string(request.body()); });
  ServerOptions options;
  options.limits.body_bytes_max = 100;
  test::ServedApp served(std::move(app), options);
  const std::string body(150, 'b');
  const std::string sized = " HTTP/1.1\r\nHost: a\r\nContent-Length: 150\r\n\r\n" + body;
  const std::string chunked =
      " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n96\r\n" + body + "\r\n0\r\n\r\n";
  for (const std::string& rest : {sized, chunked}) {
    CHECK(test::HttpClient(served.port()).ask("POST /large/echo" + rest).body == body);
    CHECK(test::HttpClient(served.port()).ask("POST /echo" + rest).status == 413);
  }
}

TEST_CASE("over a socket: groups without a prefix differ in their limits alone") {
  const auto echo = [](Request& request) { return std::string(request.body()); };
  App app;
  Group small = app.group("");
  small.use(body_limit(8)).post("/small", echo);
  small.group("").use(body_limit(4)).post("/smaller", echo);
  app.group("").use(body_limit(200)).post("/large", echo);
  test::ServedApp served(std::move(app));
  const auto status = [&served](const std::string& path, std::size_t bytes) {
    const std::string head = "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(bytes);
    return test::HttpClient(served.port()).ask(head + "\r\n\r\n" + std::string(bytes, 'b')).status;
  };
  CHECK(status("/small", 6) == 200);
  CHECK(status("/small", 9) == 413);
  CHECK(status("/smaller", 6) == 413);
  CHECK(status("/large", 150) == 200);
}

TEST_SUITE_END();
}  // namespace volt::http
