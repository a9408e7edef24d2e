// SPDX-License-Identifier: MIT

// Every way out of a handler makes exactly one response, or a closed connection: never none, never two, never the
// response to another request.
#include <doctest/doctest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "runtime/concurrent.h"
#include "runtime/spawn.h"
#include "runtime/time.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

TestClientOptions on_test_engine() { return {.io = test_options().io}; }

// Announces a size that may differ from its size.
class MisjudgedBody final : public StreamBody {
 public:
  MisjudgedBody(std::uint64_t said_bytes, std::uint64_t bytes) : said_bytes_(said_bytes), bytes_(bytes) {}
  [[nodiscard]] Task<> write_to(BodyWriter& out) override {
    const std::string text(bytes_, 'a');
    co_await out.write(text);
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return said_bytes_; }

 private:
  std::uint64_t said_bytes_;
  std::uint64_t bytes_;
};

Response misjudged(std::uint64_t said_bytes, std::uint64_t bytes) {
  return Response::streamed(std::make_unique<MisjudgedBody>(said_bytes, bytes), "text/plain");
}

Task<> cancelled_child() {
  JoinHandle<void> child = spawn([]() -> Task<> { co_await sleep_for(30s); });
  child.cancel();
  co_await std::move(child);
}

Task<> throw_after_writing(BodyWriter& out, std::size_t bytes) {
  const std::string text(bytes, 'a');
  co_await out.write(text);
  throw std::runtime_error("decided by the test");
}

// One route for each way out, named after it.
void add_exits(App& app) {
  app.post("/return", [](Request&) { return "plain"; });
  app.post("/void", [](Request&) {});
  app.post("/throw", [](Request&) -> Response { throw std::runtime_error("decided by the test"); });
  app.post("/throw_odd", [](Request&) -> Response { throw 42; });
  app.post("/problem", [](Request&) -> Response { throw conflict("decided by the test"); });
  app.post("/interim", [](Request&) { return Response(Status::early_hints); });
  app.post("/continue", [](Request&) { return Response(Status::continue_); });
  app.post("/no_upgrade", [](Request&) { return Response(Status::switching_protocols); });
  app.post("/bad_field", [](Request&) { return std::move(Response().header("A", "b\r\nC: d")); });
  app.post("/bad_length", [](Request&) { return std::move(Response().header("Content-Length", "7")); });
  app.post("/no_content", [](Request&) { return Response::text("unsent", Status::no_content); });
  app.post("/not_modified", [](Request&) { return Response::text("unsent", Status::not_modified); });
  app.post("/reset", [](Request&) { return Response::text("unsent", Status::reset_content); });
  app.post("/optional", [](Request&) { return std::optional<std::string>(); });

  app.post("/later/return", [](Request&) -> Task<std::string> {
    co_await sleep_for(1s);
    co_return "later";
  });
  app.post("/later/throw", [](Request&) -> Task<Response> {
    co_await sleep_for(1s);
    throw std::runtime_error("decided by the test");
  });
  app.post("/later/throw_odd", [](Request&) -> Task<Response> {
    co_await sleep_for(1s);
    throw std::string("decided by the test");
  });
  app.post("/later/throw_at_once", [](Request&) -> Task<Response> { throw std::runtime_error("decided by the test"); });
  app.post("/later/problem", [](Request&) -> Task<Response> {
    co_await sleep_for(1s);
    throw conflict("decided by the test");
  });
  app.post("/later/cancelled", [](Request&) -> Task<Response> {
    co_await cancelled_child();
    co_return Response();
  });
  app.post("/later/within", [](Request&) -> Task<Response> {
    auto sleep = []() -> Task<> { co_await sleep_for(1h); };
    const Result<void> slept = co_await within(1s, sleep);
    if (!slept) throw unavailable();
    co_return Response();
  });
  app.post("/later/interim", [](Request&) -> Task<Response> {
    co_await sleep_for(1s);
    co_return Response(Status{102});
  });

  app.post("/unread/return", [](BodyStream) -> Task<std::string> { co_return "unread"; });
  app.post("/unread/throw", [](BodyStream) -> Task<std::string> { throw std::runtime_error("decided by the test"); });
  app.post("/unread/late", [](BodyStream) -> Task<std::string> {
    co_await sleep_for(1s);
    co_return "unread";
  });
  app.post("/unread/partly", [](BodyStream body) -> Task<std::string> {
    co_await body.read();
    co_return "partly";
  });

  app.post("/stream/whole", [](Request&) { return misjudged(5, 5); });
  app.post("/stream/empty", [](Request&) { return misjudged(0, 0); });
  app.post("/stream/ended", [](Request&) {
    return stream("text/plain", [](BodyWriter& out) -> Task<> {
      const std::string_view text = "streamed";
      co_await out.write(text);
    });
  });
  app.post("/stream/shorter", [](Request&) { return misjudged(100, 5); });
  app.post("/stream/longer", [](Request&) { return misjudged(5, 100); });
  app.post("/stream/much_longer", [](Request&) { return misjudged(5, 1'000'000); });
  app.post("/stream/shorter_late", [](Request&) { return misjudged(200'000, 100'000); });
  app.post("/stream/problem", [](Request&) {
    return stream("text/plain", [](BodyWriter&) -> Task<> { throw conflict("decided by the test"); });
  });
  app.post("/stream/throws", [](Request&) { return stream("text/plain", throw_after_writing, std::size_t{5}); });
  app.post("/stream/throws_late",
           [](Request&) { return stream("text/plain", throw_after_writing, std::size_t{100'000}); });
  app.post("/stream/throws_at_once", [](Request&) {
    return stream("text/plain", [](BodyWriter&) -> Task<> { throw std::runtime_error("decided by the test"); });
  });
  app.post("/stream/throws_odd", [](Request&) {
    return stream("text/plain", [](BodyWriter&) -> Task<> {
      co_await sleep_for(1s);
      throw 42;
    });
  });
  app.post("/stream/cancelled",
           [](Request&) { return stream("text/plain", [](BodyWriter&) -> Task<> { return cancelled_child(); }); });
}

struct Exit {
  std::string path;
  int status;  // 0: the response is aborted
  bool whole = true;
};

const std::vector<Exit>& exits() {
  static const std::vector<Exit> all = {
      {"/return", 200},
      {"/void", 204},
      {"/throw", 500},
      {"/throw_odd", 500},
      {"/problem", 409},
      {"/interim", 500},
      {"/continue", 500},
      {"/no_upgrade", 500},
      {"/bad_field", 500},
      {"/bad_length", 500},
      {"/no_content", 204},
      {"/not_modified", 304},
      {"/reset", 205},
      {"/optional", 404},
      {"/later/return", 200},
      {"/later/throw", 500},
      {"/later/throw_odd", 500},
      {"/later/throw_at_once", 500},
      {"/later/problem", 409},
      {"/later/cancelled", 500},
      {"/later/within", 503},
      {"/later/interim", 500},
      {"/unread/return", 200},
      {"/unread/throw", 500},
      {"/unread/late", 200},
      {"/unread/partly", 200},
      {"/stream/whole", 200},
      {"/stream/empty", 200},
      {"/stream/ended", 200},
      {"/stream/shorter", 500},
      {"/stream/shorter_late", 200, false},
      {"/stream/longer", 500},
      {"/stream/much_longer", 500},
      {"/stream/problem", 409},
      {"/stream/throws", 500},
      {"/stream/throws_late", 200, false},
      {"/stream/throws_at_once", 500},
      {"/stream/throws_odd", 500},
      {"/stream/cancelled", 500},
      {"/none", 404},
  };
  return all;
}

App exits_app() {
  App app;
  add_exits(app);
  app.get("/", [] { return "next"; });
  app.get("/slow/{ms}/{name}", [](Path<int> ms, Path<std::string> name) -> Task<std::string> {
    co_await sleep_for(std::chrono::milliseconds(*ms));
    co_return *name;
  });
  return app;
}

// The app of exits_app() with a middleware around it, so that each way out passes through a chain.
App chained_exits_app() {
  App app = exits_app();
  app.use([](Request& request, Next next) -> Task<Response> {
    Response response = co_await next(request);
    response.header("X-Chain", "passed");
    co_return response;
  });
  return app;
}

constexpr std::string_view kNext = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// A way of sending a request's body.
struct Sending {
  std::string why;
  std::string fields;
  std::string body;
  bool promised = false;  // the body is sent only after a 100
};

std::vector<Sending> sendings() {
  const std::string large(300'000, 'a');
  return {
      {"no body", "Content-Length: 0\r\n", ""},
      {"a small body", "Content-Length: 5\r\n", "small"},
      {"a large body", "Content-Length: 300000\r\n", large},
      {"a chunked body", "Transfer-Encoding: chunked\r\n", "5\r\nsmall\r\n0\r\n\r\n"},
      {"a large chunked body", "Transfer-Encoding: chunked\r\n", "493e0\r\n" + large + "\r\n0\r\n\r\n"},
      {"a body that should have awaited its promise", "Content-Length: 5\r\nExpect: 100-continue\r\n", "small"},
      {"a body that awaits its promise", "Content-Length: 5\r\nExpect: 100-continue\r\n", "small", true},
  };
}

std::string head_of(const Exit& exit, const Sending& sending) {
  return "POST " + exit.path + " HTTP/1.1\r\nHost: a\r\n" + sending.fields + "\r\n";
}

// The response, as far as it was received.
struct Seen {
  int status = 0;
  bool whole = false;
  bool closes = false;
};

Seen seen_on(TestConnection& connection) {
  try {
    const TestResponse response = connection.read_response();
    return {.status = response.status(), .whole = true, .closes = response.closes()};
  } catch (const TestFailure& failure) {
    return {.whole = false, .closes = true};
  }
}

void check_exit(TestClient& client, const Exit& exit, const Sending& sending) {
  CAPTURE(exit.path);
  CAPTURE(sending.why);
  auto connection = client.raw();
  connection.send(head_of(exit, sending));
  if (sending.promised) {
    if (connection.peek() == "HTTP/1.1 100 Continue\r\n\r\n") connection.send(sending.body);
  } else {
    connection.try_send(sending.body);
  }
  client.clock().advance(1s);
  const Seen seen = seen_on(connection);
  CHECK(seen.whole == exit.whole);
  if (exit.whole) CHECK(seen.status == exit.status);
  if (seen.closes) {
    client.clock().advance(3s);
    CHECK(connection.ended());
    return;
  }
  CHECK(connection.peek().empty());
  connection.send(kNext);
  CHECK(connection.read_response().body() == "next");
  CHECK(connection.quiet());
}

}  // namespace

TEST_SUITE_BEGIN("http/server/one_reply");

TEST_CASE("each way out of a handler is one response, whatever the request body") {
  for (const bool chained : {false, true}) {
    CAPTURE(chained);
    TestClient client(chained ? chained_exits_app() : exits_app(), on_test_engine());
    for (const Exit& exit : exits()) {
      for (const Sending& sending : sendings()) check_exit(client, exit, sending);
    }
    client.clock().advance(1min);
    CHECK(client.drain());
  }
}

TEST_CASE("a pipelined request gets its own response, whatever the request before it led to") {
  TestClient client(chained_exits_app(), on_test_engine());
  for (const Exit& exit : exits()) {
    for (const Sending& sending : sendings()) {
      if (sending.promised) continue;
      CAPTURE(exit.path);
      CAPTURE(sending.why);
      auto connection = client.raw();
      connection.try_send(head_of(exit, sending) + sending.body + std::string(kNext));
      client.clock().advance(1s);
      const Seen seen = seen_on(connection);
      CHECK(seen.whole == exit.whole);
      if (exit.whole) CHECK(seen.status == exit.status);
      if (!connection.peek().empty()) {
        CHECK_FALSE(seen.closes);
        CHECK(connection.read_response().body() == "next");
      } else {
        CHECK(seen.closes);
      }
      client.clock().advance(3s);
      CHECK(connection.peek().empty());
    }
  }
}

TEST_CASE("a client of HTTP/1.0 gets one response, and the connection is closed") {
  TestClient client(exits_app(), on_test_engine());
  for (const Exit& exit : exits()) {
    CAPTURE(exit.path);
    auto connection = client.raw();
    connection.send("POST " + exit.path + " HTTP/1.0\r\nContent-Length: 5\r\n\r\nsmall");
    client.clock().advance(1s);
    const Seen seen = seen_on(connection);
    // A body that ends with the connection is complete whenever the connection is closed.
    if (exit.whole) CHECK(seen.whole);
    if (exit.whole) CHECK(seen.status == exit.status);
    client.clock().advance(3s);
    CHECK(connection.ended());
  }
}

TEST_CASE("responses to pipelined requests are sent in order, however long each takes") {
  TestClient client(exits_app(), on_test_engine());
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    auto connection = client.raw();
    std::string requests;
    for (int i = 0; i < 10; ++i) {
      const bool at_once = random() % 3 == 0;
      const std::string slow = "/slow/" + std::to_string(random() % 50) + "/" + std::to_string(i);
      requests +=
          "GET " + (at_once ? "/" : slow) + " HTTP/1.1\r\nHost: a\r\nX-Number: " + std::to_string(i) + "\r\n\r\n";
    }
    for (std::size_t at = 0; at < requests.size();) {
      const std::size_t size = 1 + random() % 200;
      connection.send(std::string_view(requests).substr(at, size));
      client.clock().advance(std::chrono::milliseconds(random() % 10));
      at += size;
    }
    client.clock().advance(1s);
    for (int i = 0; i < 10; ++i) {
      const TestResponse response = connection.read_response();
      CHECK(response.status() == 200);
      CHECK((response.body() == "next" || response.body() == std::to_string(i)));
    }
    CHECK(connection.quiet());
  }
}

TEST_CASE("a request for an upgrade that is refused or unknown gets a response like any request") {
  App app = exits_app();
  app.get("/upgrade", [](Request& request) -> Response {
    if (!request.requests_upgrade("known")) throw Problem(Status::upgrade_required).header("Upgrade", "known");
    throw forbidden();
  });
  TestClient client(std::move(app), on_test_engine());
  const struct {
    std::string why, protocol;
    int status;
  } cases[] = {{"unknown", "other", 426}, {"known and refused", "known", 403}};
  for (const auto& one : cases) {
    CAPTURE(one.why);
    auto connection = client.raw();
    connection.send("GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: " + one.protocol + "\r\n\r\n" +
                    std::string(kNext));
    const TestResponse response = connection.read_response();
    CHECK(response.status() == one.status);
    CHECK(connection.read_response().body() == "next");
    CHECK(connection.quiet());
  }
  CHECK(client.get("/").header("Connection", "upgrade").header("Upgrade", "other").send().body() == "next");
}

TEST_SUITE_END();

}  // namespace volt::http
