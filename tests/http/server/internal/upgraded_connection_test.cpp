// SPDX-License-Identifier: MIT

#include "http/server/internal/upgraded_connection.h"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "http/web/upgrade.h"
#include "runtime/per_worker.h"
#include "runtime/time.h"
#include "tests/support/engine.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;

using Protocol = Task<> (*)(UpgradedStream& stream);

class Running final : public Upgrade {
 public:
  explicit Running(Protocol protocol) noexcept : protocol_(protocol) {}
  [[nodiscard]] std::string_view protocol() const noexcept override { return "test"; }
  [[nodiscard]] Task<> run(UpgradedStream& stream) override { return protocol_(stream); }

 private:
  const Protocol protocol_;
};

TestClient client_of(Protocol protocol, const ServerOptions& options = {.stall_timeout = 10s}) {
  App app;
  app.get("/", [protocol] { return Response::upgrade(std::make_unique<Running>(protocol)); });
  return TestClient(std::move(app), {.server = options, .io = test_options().io});
}

// Returns what the server sends after its 101.
TestConnection upgraded(TestClient& client, std::string_view more = {}) {
  TestConnection connection = client.raw();
  connection.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n" + std::string(more));
  CHECK(connection.read_response().status() == 101);
  return connection;
}

Task<> say(Stream& stream, std::string text) {
  [[maybe_unused]] const Result<void> written = co_await stream.write_all(std::as_bytes(std::span(text)));
}

std::string_view outcome_of(const Result<void>& ready) {
  if (ready) return "ready ";
  if (interrupted(ready)) return "interrupted ";
  return timed_out(ready) ? "timed out " : "failed ";
}

// Echoes single bytes.
Task<> echo(UpgradedStream& stream) {
  for (;;) {
    std::byte byte{};
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    if (!count || *count == 0) co_return;
    co_await say(stream, std::string(1, static_cast<char>(byte)));
  }
}

// Does not read while the drain begins.
Task<> miss_drain(UpgradedStream& stream) {
  while (!stream.draining()) co_await sleep_for(1ms);
  const Result<void> first = co_await stream.readable();
  stream.set_read_deadline_in(0s);
  const Result<void> second = co_await stream.readable();
  co_await say(stream, std::string(outcome_of(first)) + std::string(outcome_of(second)));
}

// Returns how long the write of more than the peer takes has waited.
Task<std::chrono::nanoseconds> wait_of_write(Stream& stream) {
  static const std::string large(8'000'000, 'x');
  const std::chrono::nanoseconds before = coarse_now();
  const Result<void> written = co_await stream.write_all(std::as_bytes(std::span(large)));
  CHECK(timed_out(written));
  co_return coarse_now() - before;
}

// Writes to a peer that does not read.
Task<> write_in_vain(UpgradedStream& stream) {
  stream.set_write_deadline_in(3s);
  const std::chrono::nanoseconds limited = co_await wait_of_write(stream);
  CHECK(limited >= 3s);
  CHECK(limited < 5s);
  stream.set_write_deadline_in(kNoDeadline);
  const std::chrono::nanoseconds stalled = limited + co_await wait_of_write(stream);
  CHECK(stalled >= 10s);
  CHECK(stalled < limited + 12s);  // a kernel that accepts some more bytes begins the time again
  std::chrono::nanoseconds again = 1h;
  for (int tries = 0; tries != 3 && again >= 2s; ++tries) {
    stream.set_write_deadline_in(kNoDeadline);
    again = co_await wait_of_write(stream);
  }
  CHECK(again < 2s);  // the peer has accepted nothing, so there is no further time
}

// Writes, sleeps while the peer reads, and writes again.
Task<> write_twice(UpgradedStream& stream) {
  stream.set_write_deadline_in(3s);
  const std::chrono::nanoseconds first = co_await wait_of_write(stream);
  CHECK(first < 5s);
  co_await sleep_for(3s);
  stream.set_write_deadline_in(kNoDeadline);
  const std::chrono::nanoseconds second = co_await wait_of_write(stream);
  CHECK(second >= 4s);
  CHECK(second < 6s);
}

// Advances the clock until the protocol has ended.
void run_to_end(TestClient& client) {
  for (int second = 0; second != 60 && client.server().connection_count() != 0; ++second) client.clock().advance(1s);
  CHECK(client.server().connection_count() == 0);
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/upgraded_connection");

TEST_CASE("bytes that were received with the request are read first, without a wait") {
  TestClient client = client_of(echo);
  TestConnection connection = upgraded(client, "hello");
  CHECK(connection.peek() == "hello");
  connection.send(" again");
  CHECK(connection.peek() == "hello again");
}

TEST_CASE("a drain that begins between two waits interrupts the next wait, once") {
  TestClient client = client_of(miss_drain);
  TestConnection connection = upgraded(client);
  client.start_drain();
  client.clock().advance(2ms);
  CHECK(connection.peek() == "interrupted timed out ");
}

TEST_CASE("a write ends at stall_timeout, or at its own deadline if that is earlier, which does not extend the time") {
  TestClient client = client_of(write_in_vain);
  TestConnection connection = upgraded(client);
  run_to_end(client);
}

TEST_CASE("a peer that has read before a write with a new deadline has the whole time for it") {
  TestClient client = client_of(write_twice, {.rate_bytes_per_second_min = 1'000'000'000, .rate_grace = 4s});
  TestConnection connection = upgraded(client);
  client.clock().advance(4s);
  CHECK_FALSE(connection.peek().empty());
  run_to_end(client);
}

TEST_SUITE_END();

}  // namespace volt::http::server
