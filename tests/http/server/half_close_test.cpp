// SPDX-License-Identifier: MIT

// A client that has closed its sending side: its handler is cancelled, unless half_close_cancels is off.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "http/http.h"
#include "http/web/stream.h"
#include "runtime/base/atomic.h"
#include "runtime/time.h"
#include "tests/support/directory.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::ServedApp;

struct Counts {
  base::Atomic<int> begun{0};
  base::Atomic<int> whole{0};
  base::Atomic<int> ended{0};
};

// Counts the beginning and the end of a handler, or of the producer of a body.
class Counted {
 public:
  explicit Counted(Counts& counts) noexcept : counts_(counts) { counts_.begun.fetch_add(1); }
  ~Counted() { counts_.ended.fetch_add(1); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  void note_whole() noexcept { counts_.whole.fetch_add(1); }

 private:
  Counts& counts_;
};

Task<> drip(BodyWriter& out, std::shared_ptr<Counts> counts, std::chrono::nanoseconds time) {
  Counted counted(*counts);
  co_await out.write("first");
  co_await out.flush();
  co_await sleep_for(time);
  counted.note_whole();
}

Task<> wait_first(BodyWriter& out, std::shared_ptr<Counts> counts, std::chrono::nanoseconds time) {
  Counted counted(*counts);
  co_await sleep_for(time);
  co_await out.write("late");
  counted.note_whole();
}

// A body of known size that waits in the middle.
class SizedDrip final : public StreamBody {
 public:
  SizedDrip(std::shared_ptr<Counts> counts, std::chrono::nanoseconds time) : counts_(std::move(counts)), time_(time) {}
  [[nodiscard]] Task<> write_to(BodyWriter& out) override { return drip(out, counts_, time_); }
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override { return 5; }

 private:
  std::shared_ptr<Counts> counts_;
  std::chrono::nanoseconds time_;
};

constexpr std::size_t kLarge = 8'000'000;  // more than the kernel's buffers take of a client that reads late

App make_app(const std::shared_ptr<Counts>& counts, std::chrono::nanoseconds time) {
  App app;
  app.get("/handler", [counts, time](Request&) -> Task<std::string> {
    Counted counted(*counts);
    co_await sleep_for(time);
    counted.note_whole();
    co_return "late";
  });
  app.post("/handler", [counts, time](Request& request) -> Task<std::string> {
    const std::string body(co_await request.read_body());
    Counted counted(*counts);
    co_await sleep_for(time);
    counted.note_whole();
    co_return body;
  });
  app.get("/body", [counts, time] { return http::stream("text/plain", drip, counts, time); });
  app.get("/quiet", [counts, time] { return http::stream("text/plain", wait_first, counts, time); });
  app.get("/sized",
          [counts, time] { return Response::streamed(std::make_unique<SizedDrip>(counts, time), "text/plain"); });
  app.get("/ready", [](Request&) -> Task<std::string> { co_return "ready"; });
  app.get("/ready/large", [](Request&) -> Task<std::string> { co_return std::string(kLarge, 'x'); });
  app.get("/ready/body",
          [] { return http::stream("text/plain", [](BodyWriter& out) -> Task<> { co_await out.write("ready"); }); });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/half_close");

TEST_CASE("a client that closes its sending side cancels its handler") {
  for (const std::string request : {"GET /handler", "GET /body", "GET /quiet", "GET /sized", "POST /handler"}) {
    CAPTURE(request);
    const auto counts = std::make_shared<Counts>();
    ServedApp served(make_app(counts, 1h));
    HttpClient client(served.port());
    client.send(request + " HTTP/1.1\r\nHost: a\r\n");
    client.send(request.starts_with("POST") ? "Content-Length: 2\r\n\r\na" : "\r\n");
    if (request.starts_with("POST")) std::this_thread::sleep_for(5ms), client.send("b");
    CHECK(test::eventually([&] { return counts->begun.load() == 1; }));
    client.finish_sending();
    CHECK(test::eventually([&] { return counts->ended.load() == 1; }));
    CHECK(counts->whole.load() == 0);
    CHECK(served.has_connections(0));
  }
}

TEST_CASE("a client that closes its sending side at once gets the responses for which no handler waits") {
  const auto counts = std::make_shared<Counts>();
  const test::Directory directory;
  const std::string name = directory.path() / "large";
  std::ofstream(name) << std::string(kLarge, 'x');
  App app = make_app(counts, 50ms);
  app.get("/ready/file", [name] { return File(name); });
  ServedApp served(std::move(app));
  for (const std::string path : {"/ready", "/ready/large", "/ready/body", "/ready/file"}) {
    CAPTURE(path);
    for (const bool reads_late : {false, true}) {
      HttpClient client(served.port(), {.receive_bytes = reads_late ? 16 * 1024 : 0});
      client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
      client.finish_sending();
      if (reads_late) std::this_thread::sleep_for(20ms);
      const test::Reply reply = client.read();
      CHECK(reply.status == 200);
      CHECK((path == "/ready" || path == "/ready/body" || reply.body == std::string(kLarge, 'x')));
    }
  }
}

TEST_CASE("a client that closes its sending side after several requests gets all responses but those that come late") {
  const auto counts = std::make_shared<Counts>();
  ServedApp served(make_app(counts, 50ms));
  HttpClient client(served.port());
  client.send(
      "GET /handler HTTP/1.1\r\nHost: a\r\n\r\nGET /body HTTP/1.1\r\nHost: a\r\n\r\n"
      "GET /ready HTTP/1.1\r\nHost: a\r\n\r\n");
  client.finish_sending();
  CHECK(client.read().body == "late");
  CHECK(client.read_until("\r\n0\r\n\r\n").find("first") != std::string::npos);
  CHECK(client.read().body == "ready");
  CHECK(client.end() == HttpClient::End::closed);
}

TEST_CASE("a FIN behind a body does not cancel the handler that reads the body") {
  App app;
  app.post("/count", [](BodyStream body) -> Task<std::string> {
    std::size_t bytes = 0;
    while (const auto piece = co_await body.read()) bytes += piece->size();
    co_return std::to_string(bytes);
  });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n" + std::string(500'000, 'x'));
  client.finish_sending();
  CHECK(client.read().body == "500000");
  CHECK(client.end() == HttpClient::End::closed);
}

TEST_CASE("without half_close_cancels, a client that closes its sending side gets its response") {
  for (const std::string path : {"/handler", "/body"}) {
    CAPTURE(path);
    const auto counts = std::make_shared<Counts>();
    ServedApp served(make_app(counts, 50ms), {.half_close_cancels = false});
    HttpClient client(served.port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    client.finish_sending();
    CHECK(client.read().status == 200);
    CHECK(test::eventually([&] { return counts->whole.load() == 1; }));
  }
}

TEST_CASE("a client that resets cancels the producer of its body") {
  const auto counts = std::make_shared<Counts>();
  ServedApp served(make_app(counts, 1h));
  HttpClient client(served.port());
  client.send("GET /body HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(test::eventually([&] { return counts->begun.load() == 1; }));
  client.reset();
  CHECK(test::eventually([&] { return counts->ended.load() == 1; }));
  CHECK(served.has_connections(0));
}

TEST_SUITE_END();

}  // namespace volt::http
