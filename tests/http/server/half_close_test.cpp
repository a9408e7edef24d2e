// SPDX-License-Identifier: MIT

// A client that has closed its sending side: it gets its response, unless half_close_cancels.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>

#include "http/http.h"
#include "http/web/stream.h"
#include "runtime/base/atomic.h"
#include "runtime/time.h"
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
  auto writing = out.write("first");
  co_await std::move(writing);
  auto flushing = out.flush();
  co_await std::move(flushing);
  co_await sleep_for(time);
  counted.note_whole();
}

App make_app(const std::shared_ptr<Counts>& counts, std::chrono::nanoseconds time) {
  App app;
  app.get("/handler", [counts, time](Request&) -> Task<std::string> {
    Counted counted(*counts);
    co_await sleep_for(time);
    counted.note_whole();
    co_return "late";
  });
  app.get("/body", [counts, time] { return http::stream("text/plain", drip, counts, time); });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/half_close");

TEST_CASE("with half_close_cancels, a client that closes its sending side cancels its handler") {
  for (const std::string path : {"/handler", "/body"}) {
    CAPTURE(path);
    const auto counts = std::make_shared<Counts>();
    ServedApp served(make_app(counts, 1h), {.half_close_cancels = true});
    HttpClient client(served.port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(test::eventually([&] { return counts->begun.load() == 1; }));
    client.finish_sending();
    CHECK(test::eventually([&] { return counts->ended.load() == 1; }));
    CHECK(counts->whole.load() == 0);
    CHECK(served.has_connections(0));
  }
}

TEST_CASE("without half_close_cancels, a client that closes its sending side gets its response") {
  for (const std::string path : {"/handler", "/body"}) {
    CAPTURE(path);
    const auto counts = std::make_shared<Counts>();
    ServedApp served(make_app(counts, 50ms));
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

}  // namespace volt::http
