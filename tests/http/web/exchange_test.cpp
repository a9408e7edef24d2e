// SPDX-License-Identifier: MIT

// How exchanges end, as after_response() and the access log report it: over real connections, which clients break.
#include "http/web/exchange.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "http/http.h"
#include "http/web/stream.h"
#include "runtime/base/atomic.h"
#include "runtime/time.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"
#include "tests/support/websocket_client.h"
#include "tests/support/websocket_handlers.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::ServedApp;
using test::WebSocketClient;

constexpr std::size_t kBig = 40 * 1024 * 1024;

class Ends {
 public:
  void add(const ExchangeEnd& end) {
    const std::scoped_lock lock(mutex_);
    ends_.push_back(end);
  }
  [[nodiscard]] std::vector<ExchangeEnd> all() const {
    const std::scoped_lock lock(mutex_);
    return ends_;
  }
  // Waits for the first one.
  [[nodiscard]] ExchangeEnd first() const {
    REQUIRE(test::eventually([&] { return !all().empty(); }));
    return all().front();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<ExchangeEnd> ends_;
};

struct Watch {
  std::shared_ptr<Ends> ends;
  Task<Response> operator()(Request& request, Next next) {
    request.after_response([ends = ends](const ExchangeEnd& end) noexcept { ends->add(end); });
    co_return co_await next(request);
  }
};

Task<> two_parts(BodyWriter& out, bool throws) {
  co_await out.write("first");
  co_await out.flush();
  if (throws) throw std::runtime_error("decided by the test");
  co_await out.write("second");
}

Task<> endless(BodyWriter& out) {
  for (;;) {
    co_await out.write("tick");
    co_await out.flush();
    co_await sleep_for(1ms);
  }
}

App watched(const std::shared_ptr<Ends>& ends) {
  App app;
  app.use(Watch{ends});
  app.get("/", [] { return "hello"; });
  app.get("/big", [] { return std::string(kBig, 'x'); });
  app.get("/waits", []() -> Task<std::string> {
    co_await sleep_for(1h);
    co_return "late";
  });
  app.get("/parts", [] { return stream("text/plain", two_parts, false); });
  app.get("/throws", [] { return stream("text/plain", two_parts, true); });
  app.get("/endless", [] { return stream("text/plain", endless); });
  app.post("/echo", [](const Request& request) { return std::string(request.body()); });
  return app;
}

std::string get(std::string_view path, std::string_view method = "GET") {
  return std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

// The lines of an access log.
class Lines {
 public:
  [[nodiscard]] AccessLogOptions options() {
    return {.sink = [this](std::string_view line) {
      const std::scoped_lock lock(mutex_);
      text_ += line;
    }};
  }
  [[nodiscard]] std::string first() const {
    REQUIRE(test::eventually([&] { return !text().empty(); }));
    return text();
  }
  [[nodiscard]] std::string text() const {
    const std::scoped_lock lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_SUITE_BEGIN("http/web/exchange");

TEST_CASE("an exchange whose response was sent is complete, with the bytes of its body") {
  const struct {
    std::string request;
    Status status;
    std::uint64_t bytes;
  } cases[] = {
      {get("/"), Status::ok, 5},
      {get("/", "HEAD"), Status::ok, 0},
      {get("/big"), Status::ok, kBig},
      {get("/parts"), Status::ok, 5 + 6 + 15},  // with sizes and ends of two chunks, and the last chunk
      {get("/parts", "HEAD"), Status::ok, 0},
      {"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", Status::ok, 3},
      {"POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", Status::not_found, 34},
  };
  for (const auto& [request, status, bytes] : cases) {
    CAPTURE(request.substr(0, request.find('\r')));
    const auto ends = std::make_shared<Ends>();
    ServedApp served(watched(ends));
    HttpClient client(served.port());
    const bool body_follows = !request.starts_with("HEAD");
    client.send(request);
    CHECK(client.read(body_follows).status == code(status));
    const ExchangeEnd end = ends->first();
    CHECK(to_string(end.outcome) == "complete");
    CHECK(end.status == status);
    CHECK(end.body_bytes == bytes);
    CHECK(end.sending < 20s);
  }
}

TEST_CASE("the times of an exchange tell the handler from the wait for the body and the sending") {
  const auto ends = std::make_shared<Ends>();
  App app = watched(ends);
  app.get("/sleeps", []() -> Task<std::string> {
    co_await sleep_for(30ms);
    co_return "slept";
  });
  app.get("/sends", [] {
    return stream("text/plain", [](BodyWriter& out) -> Task<> {
      co_await out.write("first");
      co_await out.flush();
      co_await sleep_for(30ms);
    });
  });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  const auto whole = [](const ExchangeEnd& end) {
    return end.queued >= 0ns && end.duration() == end.queued + end.receiving + end.handling + end.sending;
  };
  auto next = [&, count = std::size_t{0}]() mutable {
    ++count;
    REQUIRE(test::eventually([&] { return ends->all().size() == count; }));
    return ends->all().back();
  };
  CHECK(client.ask(get("/sleeps")).body == "slept");
  const ExchangeEnd slept = next();
  CHECK(whole(slept));
  CHECK(slept.handling >= 30ms);
  CHECK(slept.receiving == 0ns);
  CHECK(slept.sending > 0ns);
  client.send(get("/sends"));
  CHECK(client.read().status == 200);
  const ExchangeEnd sent = next();
  CHECK(whole(sent));
  CHECK(sent.sending >= 30ms);
  HttpClient uploads(served.port());
  uploads.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  REQUIRE(uploads.read().status == 100);  // the server waits for the body
  std::this_thread::sleep_for(40ms);
  uploads.send("abc");
  CHECK(uploads.read().body == "abc");
  const ExchangeEnd received = next();
  CHECK(whole(received));
  CHECK(received.receiving >= 20ms);
}

TEST_CASE("of pipelined requests each has its own end") {
  const auto ends = std::make_shared<Ends>();
  ServedApp served(watched(ends));
  HttpClient client(served.port());
  client.send(get("/") + get("/parts") + get("/none") + get("/"));
  REQUIRE(test::eventually([&] { return ends->all().size() == 4; }));
  std::vector<std::uint64_t> bytes;
  for (const ExchangeEnd& end : ends->all()) bytes.push_back(end.body_bytes);
  CHECK(bytes == std::vector<std::uint64_t>{5, 26, 34, 5});
}

TEST_CASE("a client that leaves ends its exchange as disconnected, with the bytes that were sent") {
  for (const std::string_view path : {"/big", "/endless", "/waits"}) {
    CAPTURE(path);
    const auto ends = std::make_shared<Ends>();
    ServedApp served(watched(ends));
    {
      HttpClient client(served.port(), {.receive_bytes = 16 * 1024});
      client.send(get(path));
      if (path != "/waits") static_cast<void>(client.read(false));
      std::this_thread::sleep_for(20ms);
    }
    const ExchangeEnd end = ends->first();
    CHECK(to_string(end.outcome) == "disconnected");
    CHECK(end.status.has_value() == (path != "/waits"));
    CHECK(end.body_bytes < kBig);
    CHECK((end.body_bytes != 0) == (path != "/waits"));
  }
}

TEST_CASE("a client that reads too slowly ends its exchange as timed out") {
  const auto ends = std::make_shared<Ends>();
  ServedApp served(watched(ends), {.stall_timeout = 50ms, .queue_delay_max = 0ms});
  HttpClient client(served.port(), {.receive_bytes = 16 * 1024});
  client.send(get("/big"));
  const ExchangeEnd end = ends->first();
  CHECK(to_string(end.outcome) == "timed_out");
  CHECK(end.body_bytes < kBig);
}

TEST_CASE("a producer that throws after its first bytes ends the exchange as failed") {
  const auto ends = std::make_shared<Ends>();
  ServedApp served(watched(ends));
  HttpClient client(served.port());
  client.send(get("/throws"));
  const ExchangeEnd end = ends->first();
  CHECK(to_string(end.outcome) == "failed");
  CHECK(end.body_bytes == 10);  // one chunk
}

TEST_CASE("the end of the server ends exchanges as cancelled") {
  const auto ends = std::make_shared<Ends>();
  base::Atomic<bool> begun{false};
  App app = watched(ends);
  app.get("/begins", [&begun]() -> Task<> {
    begun.store(true);
    co_await sleep_for(1h);
  });
  std::optional<ServedApp> served(std::in_place, std::move(app));
  HttpClient client(served->port());
  client.send(get("/begins"));
  REQUIRE(test::eventually([&] { return begun.load(); }));
  served.reset();
  const ExchangeEnd end = ends->first();
  CHECK(to_string(end.outcome) == "cancelled");
  CHECK(!end.status);
}

TEST_CASE("a request that is refused while its body arrives has the status of the refusal") {
  const auto ends = std::make_shared<Ends>();
  ServedApp served(watched(ends));
  HttpClient client(served.port());
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnot a chunk\r\n");
  CHECK(client.read().status == 400);
  const ExchangeEnd end = ends->first();
  CHECK(to_string(end.outcome) == "complete");
  CHECK(end.status == Status::bad_request);
}

TEST_CASE("a line of the access log tells a download that broke off from a complete one") {
  Lines lines;
  App app;
  app.use(access_log(lines.options()));
  app.get("/big", [] { return std::string(kBig, 'x'); });
  ServedApp served(std::move(app));
  {
    HttpClient client(served.port(), {.receive_bytes = 16 * 1024});
    client.send(get("/big"));
    static_cast<void>(client.read(false));
  }
  const std::string line = lines.first();
  CAPTURE(line);
  CHECK(holds(line, R"("status":200,)"));
  CHECK(holds(line, R"("outcome":"disconnected",)"));
  CHECK(!holds(line, R"("bytes":41943040,)"));
}

TEST_CASE("a line of the access log names a client that has reset its connection before the response") {
  Lines lines;
  base::Atomic<bool> begun{false};
  App app;
  app.use(access_log(lines.options()));
  app.get("/waits", [&begun]() -> Task<> {
    begun.store(true);
    co_await sleep_for(1h);
  });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  client.send(get("/waits"));
  REQUIRE(test::eventually([&] { return begun.load(); }));
  client.reset();
  const std::string line = lines.first();
  CAPTURE(line);
  CHECK(holds(line, R"("outcome":"disconnected",)"));
  CHECK(holds(line, R"("client":"127.0.0.1")"));
}

TEST_CASE("the line of a WebSocket is written at its end, with its messages and its close code") {
  const struct {
    std::string_view why;
    bool closes;
    std::string_view want;
  } cases[] = {
      {"a close", true, R"("status":101,"bytes":0,"outcome":"complete",)"},
      {"a client that leaves", false, R"("status":101,"bytes":0,"outcome":"disconnected",)"},
  };
  for (const auto& [why, closes, want] : cases) {
    CAPTURE(why);
    Lines lines;
    App app;
    app.use(access_log(lines.options()), request_id());
    app.ws("/ws/{room}", test::echo);
    ServedApp served(std::move(app));
    {
      WebSocketClient client(served.port(), "/ws/7?a=b", "X-Request-Id: a-1\r\n");
      for (int i = 0; i != 3; ++i) {
        client.send_text("hello");
        CHECK(client.next() == "text hello");
      }
      CHECK(lines.text().empty());
      if (closes) client.close(CloseCode::going_away);
      if (closes) CHECK(client.next() == "close 1001");
    }
    const std::string line = lines.first();
    CAPTURE(line);
    CHECK(holds(line, want));
    CHECK(holds(line, R"("path":"/ws/7","pattern":"/ws/{room}",)"));
    CHECK(holds(line, R"("messages_received":3,"messages_sent":3,"close_code":)"));
    CHECK(holds(line, closes ? R"("close_code":1001,)" : R"("close_code":1006,)"));
    CHECK(holds(line, R"("client":"127.0.0.1","request_id":"a-1")"));
  }
}

TEST_SUITE_END();
}  // namespace volt::http
