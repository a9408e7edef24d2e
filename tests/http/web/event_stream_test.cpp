// SPDX-License-Identifier: MIT

#include "http/web/event_stream.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "http/server/app.h"
#include "http/web/extract.h"
#include "runtime/base/atomic.h"
#include "runtime/concurrent.h"
#include "runtime/time.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::HttpClient;
using test::Reply;
using test::ServedApp;

std::string get(std::string_view target, std::string_view more_fields = {}) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(more_fields) + "\r\n";
}

// Reads up to and including `mark`, or to the end of the stream if `mark` does not arrive.
std::string read_up_to(HttpClient& client, std::string_view mark) {
  std::string bytes;
  while (bytes.find(mark) == std::string::npos) {
    const std::string more = client.read_some();
    if (more.empty()) break;
    bytes += more;
  }
  return bytes;
}

std::string read_to_end(HttpClient& client) {
  std::string bytes;
  for (std::string more = client.read_some(); !more.empty(); more = client.read_some()) bytes += more;
  return bytes;
}

constexpr std::string_view kLastChunk = "\r\n0\r\n\r\n";

// Counts the handlers that ended by cancellation and those that ended otherwise.
struct Endings {
  base::Atomic<int> cancelled{0};
  base::Atomic<int> other{0};
};

// Waits until it is cancelled.
auto wait_in_vain(Endings& endings) {
  return [&endings](EventStream& out) -> Task<> {
    co_await out.send("begin");
    try {
      co_await sleep_for(1h);
    } catch (const Cancelled&) {
      endings.cancelled.fetch_add(1, base::relaxed);  // relaxed: a count
      throw;
    }
    endings.other.fetch_add(1, base::relaxed);  // relaxed: a count
  };
}

bool ended(const base::Atomic<int>& count, int want) {
  return eventually([&] { return count.load(base::relaxed) == want; });  // relaxed: a count
}

}  // namespace

TEST_SUITE_BEGIN("http/web/event_stream");

TEST_CASE("events are sent one by one until the handler returns") {
  App app;
  app.state(std::string("state"));
  app.get("/events/{name}", [](EventStream& out, Path<std::string> name, State<std::string> state) -> Task<> {
    auto first = out.send(*name + " " + *state);  // the text may be destroyed before the await
    co_await std::move(first);
    const EventStream::Event news{.event = "news", .data = "two\nlines", .id = "7"};
    co_await out.send(news);
    co_await out.comment("bye");
  });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  const Reply head = client.ask(get("/events/red"));
  CHECK(head.status == 200);
  CHECK(head.field("Content-Type") == "text/event-stream");
  CHECK(head.field("Cache-Control") == "no-store");
  CHECK(head.field("X-Accel-Buffering") == "no");
  CHECK(head.field("Content-Length").empty());
  CHECK(read_up_to(client, kLastChunk) ==
        "11\r\ndata: red state\n\n\r\n29\r\nevent: news\nid: 7\ndata: two\ndata: lines\n\n\r\n7\r\n: "
        "bye\n\n\r\n0\r\n\r\n");
  CHECK(client.end() == HttpClient::End::closed);
}

TEST_CASE("the head is sent before the first event") {
  App app;
  app.get("/", [](EventStream&) -> Task<> { co_await sleep_for(1h); });
  ServedApp served(std::move(app));
  CHECK(HttpClient(served.port()).ask(get("/")).status == 200);
}

TEST_CASE("the handler receives the id of the last event that the client saw") {
  App app;
  app.get("/", [](EventStream& out) -> Task<> { co_await out.send("after [" + out.last_event_id() + "]"); });
  ServedApp served(std::move(app));
  HttpClient again(served.port());
  again.send(get("/", "Last-Event-ID: 42\r\n"));
  CHECK(read_up_to(again, kLastChunk).find("data: after [42]\n") != std::string::npos);
  HttpClient first(served.port());
  first.send(get("/"));
  CHECK(read_up_to(first, kLastChunk).find("data: after []\n") != std::string::npos);
}

TEST_CASE("comments keep the connection alive while the handler waits") {
  Endings endings;
  App app;
  app.get("/often", with_options({.keep_alive = 5ms}, wait_in_vain(endings)));
  app.get("/never", with_options({.keep_alive = 0ms}, wait_in_vain(endings)));
  ServedApp served(std::move(app));
  HttpClient often(served.port());
  CHECK(often.ask(get("/often")).status == 200);
  CHECK(read_up_to(often, "4\r\n: \n\n\r\n4\r\n: \n\n\r\n").starts_with("d\r\ndata: begin\n\n\r\n4\r\n: \n\n\r\n"));
  HttpClient never(served.port());
  CHECK(never.ask(get("/never")).status == 200);
  CHECK(never.read_some() == "d\r\ndata: begin\n\n\r\n");
  CHECK(never.end_within(50ms) == HttpClient::End::still_open);
}

TEST_CASE("a client that disconnects ends the handler's await") {
  Endings endings;
  App app;
  app.get("/", wait_in_vain(endings));
  ServedApp served(std::move(app));
  int gone = 0;
  for (const bool by_reset : {false, true}) {
    CAPTURE(by_reset);
    HttpClient client(served.port());
    client.send(get("/"));
    read_up_to(client, "begin");
    by_reset ? client.reset() : client.close();
    CHECK(ended(endings.cancelled, ++gone));
  }
  CHECK(served.has_connections(0));
}

TEST_CASE("draining ends the handler's await and completes the stream") {
  Endings endings;
  App app;
  app.get("/", wait_in_vain(endings));
  ServedApp served(std::move(app), {.linger_timeout = 50ms});
  HttpClient client(served.port());
  client.send(get("/"));
  read_up_to(client, "begin\n\n\r\n");
  CHECK(served.drain());
  CHECK(client.read_some() == "0\r\n\r\n");
  CHECK(client.end() == HttpClient::End::closed);
  CHECK(ended(endings.cancelled, 1));
}

TEST_CASE("a handler that throws aborts the stream without a last chunk") {
  App app;
  app.get("/", [](EventStream& out) -> Task<> {
    co_await out.send("begin");
    throw std::runtime_error("decided by the test");
  });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  client.send(get("/"));
  CHECK(read_up_to(client, kLastChunk).ends_with("\r\nd\r\ndata: begin\n\n\r\n"));
  CHECK(served.has_connections(0));
}

TEST_CASE("HEAD of an event route has its fields and calls no handler; HTTP/1.0 gets no chunks") {
  base::Atomic<int> calls{0};
  App app;
  app.get("/", [&](EventStream& out) -> Task<> {
    calls.fetch_add(1, base::relaxed);  // relaxed: a count
    co_await out.send("once");
  });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  const Reply reply = client.read(false);
  CHECK(reply.status == 200);
  CHECK(reply.field("Content-Type") == "text/event-stream");
  CHECK(client.end() == HttpClient::End::closed);
  CHECK(calls.load(base::relaxed) == 0);  // relaxed: a count
  HttpClient old(served.port());
  old.send("GET / HTTP/1.0\r\n\r\n");
  CHECK(read_to_end(old).ends_with("\r\n\r\ndata: once\n\n"));
}

TEST_CASE("events of several tasks do not interleave, even if a send is cancelled") {
  constexpr int kEvents = 200;
  constexpr std::size_t kBig = 4 * 1024 * 1024;
  App app;
  app.get("/", with_options({.keep_alive = 1ms}, [](EventStream& out) -> Task<> {
            const auto send_as = [&](char name) -> Task<> {
              for (int i = 0; i != kEvents; ++i) co_await out.send(std::string(1, name) + std::to_string(i));
            };
            const auto a = [&] { return send_as('a'); };
            const auto b = [&] { return send_as('b'); };
            co_await all(a, b);
            const std::string big(kBig, 'x');
            const auto send_big = [&] { return out.send(big); };
            [[maybe_unused]] const Result<void> in_time = co_await within(1ms, send_big);
            co_await out.send("last");
          }));
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  client.send("GET / HTTP/1.0\r\n\r\n");
  const std::string all_bytes = read_to_end(client);
  std::string_view body = std::string_view(all_bytes).substr(all_bytes.find("\r\n\r\n") + 4);
  int next[2] = {};
  bool last = false;
  while (!body.empty()) {
    const std::string event(body.substr(0, body.find("\n\n") + 2));
    body.remove_prefix(event.size());
    const bool whole = event.size() == kBig + 8 && event.find_first_not_of('x', 6) == kBig + 6;
    if (event == ": \n\n" || whole) continue;
    REQUIRE(event.starts_with("data: "));
    REQUIRE(!last);
    last = event == "data: last\n\n";
    if (last) continue;
    int& i = next[event[6] == 'a' ? 0 : 1];
    REQUIRE(event == "data: " + (event[6] + std::to_string(i)) + "\n\n");
    ++i;
  }
  CHECK(next[0] == kEvents);
  CHECK(next[1] == kEvents);
  CHECK(last);
}

TEST_SUITE_END();

}  // namespace volt::http
