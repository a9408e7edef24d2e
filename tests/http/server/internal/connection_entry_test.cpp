// SPDX-License-Identifier: MIT

// Which request a stall is charged to, when its time is reported late.
#include "http/server/internal/connection_entry.h"

#include <doctest/doctest.h>

#include <optional>
#include <thread>

#include "http/server/internal/io_channel.h"
#include "http/server/internal/listener_state.h"
#include "http/server/server_state.h"
#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "tests/support/engine.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using Clock = ConnectionEntry::Clock;

void handle(ConnectionEntry& entry, std::uint32_t route, std::chrono::milliseconds duration) {
  entry.begin_request(route, Method::get, false);
  std::this_thread::sleep_for(duration);
  entry.answered(Status::ok);
  entry.end_request();
}

// Calls `test` in a task, with a state of a server that measures, and the entry of a connection.
template <class F>
void with_entry(F test) {
  Runtime runtime(test_options());
  App app;
  app.get("/0", [] { return "done"; });
  app.get("/1", [] { return "done"; });
  app.get("/2", [] { return "done"; });
  ServerState server_state(std::move(app), ServerOptions{}, runtime.worker_count(), runtime.worker_slots());
  server_state.measure();
  const ListenerState listener_state{ListenerOptions()};
  const Result<TcpListener> listener = TcpListener::bind(*Address::parse("127.0.0.1:0"));
  REQUIRE(listener);
  runtime.block_on([&]() -> Task<> {
    Result<TcpStream> stream = co_await TcpStream::connect(listener->local_address());
    REQUIRE(stream);
    IoChannel channel(*std::move(stream), listener_state);
    std::optional<ConnectionEntry> entry(std::in_place, channel, server_state.traffic());
    std::optional<ConnectionRegistration> registration(std::in_place, server_state, *entry);
    test(server_state, *entry, registration);
    co_return;
  });
}

std::optional<std::uint32_t> route_during(const ServerState& server_state, TaskId task, Clock::time_point from,
                                          Clock::time_point until,
                                          std::chrono::nanoseconds charged = std::chrono::nanoseconds(0)) {
  const auto request = server_state.request_during(task, from, until, charged == 0ns ? until - from : charged);
  return request ? std::optional(request->route) : std::nullopt;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/connection_entry");

TEST_CASE("a stall is charged to the request that took its time, also if it has ended and others have begun") {
  with_entry([](ServerState& server_state, ConnectionEntry& entry, auto&) {
    const auto before = Clock::now();
    entry.begin_request(0, Method::get, false);
    entry.note_request_id("slow-1");
    const auto from = Clock::now();
    std::this_thread::sleep_for(20ms);
    CHECK(route_during(server_state, entry.task(), from, Clock::now()) == 0);  // in progress
    entry.answered(Status::ok);
    entry.end_request();
    const auto until = Clock::now();
    CHECK(route_during(server_state, entry.task(), from, until) == 0);  // the system call that sends it follows
    CHECK(route_during(server_state, entry.task(), from, until + 2ms) == 0);
    handle(entry, 1, 0ms);
    entry.begin_request(2, Method::get, false);
    CHECK(route_during(server_state, entry.task(), from, until) == 0);
    CHECK(server_state.request_during(entry.task(), from, until, until - from)->id == "slow-1");
    CHECK(route_during(server_state, entry.task(), until, until + 1h) == 2);
    CHECK(route_during(server_state, entry.task(), before - 1h, before) == std::nullopt);
  });
}

TEST_CASE("a stall is charged to a request whose connection has been closed") {
  with_entry([](ServerState& server_state, ConnectionEntry& entry, auto& registration) {
    const auto from = Clock::now();
    handle(entry, 1, 20ms);
    const auto until = Clock::now();
    const TaskId task = entry.task();
    registration.reset();
    CHECK(server_state.connection_count() == 0);
    CHECK(route_during(server_state, task, from, until) == 1);
    CHECK(route_during(server_state, task + 1, from, until) == std::nullopt);
    CHECK(route_during(server_state, task, until, until + 20ms) == std::nullopt);
  });
}

TEST_CASE("a short time is charged to no request if the thread may have waited for a processor in this one") {
  with_entry([](ServerState& server_state, ConnectionEntry& entry, auto&) {
    const auto from = Clock::now();
    handle(entry, 0, 5ms);
    entry.begin_request(1, Method::get, false);
    const auto began = Clock::now();
    std::this_thread::sleep_for(10ms);
    const auto until = Clock::now();
    CHECK(route_during(server_state, entry.task(), from, until, 2ms) == std::nullopt);  // perhaps in the request before
    CHECK(route_during(server_state, entry.task(), began, until, 2ms) == 1);
    entry.answered(Status::ok);
    entry.end_request();
    CHECK(route_during(server_state, entry.task(), from, until, 2ms) == std::nullopt);
    CHECK(route_during(server_state, entry.task(), began, until, 2ms) == 1);
  });
}

TEST_CASE("no request is charged with a time of which it took less than half") {
  with_entry([](ServerState& server_state, ConnectionEntry& entry, auto&) {
    const auto from = Clock::now();
    handle(entry, 0, 5ms);
    handle(entry, 1, 5ms);
    handle(entry, 2, 5ms);
    const auto until = Clock::now();
    const auto whole = until - from;
    CHECK(route_during(server_state, entry.task(), from, until + whole) == std::nullopt);
  });
}

TEST_SUITE_END();

}  // namespace volt::http::server
