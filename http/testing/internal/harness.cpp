// SPDX-License-Identifier: MIT

#include "http/testing/internal/harness.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "http/server/readiness_checks.h"
#include "http/testing/test_client.h"

namespace volt::http::testing {
namespace {

constexpr std::chrono::milliseconds kDrainStep(100);
constexpr std::chrono::seconds kFlushLimit(5);

// Returns the log of the app: `captured`, unless VOLT_TEST_LOG=1 asks for lines on stderr as they are written.
std::shared_ptr<Log> log_of(const std::shared_ptr<CapturedLog>& captured) {
  const char* const value = std::getenv("VOLT_TEST_LOG");
  if (value != nullptr && std::string_view(value) == "1") captured->end_capture();
  return CapturedLog::make_log(captured);
}

}  // namespace

Harness::Harness(App app, const TestClientOptions& options)
    : log_(std::make_shared<CapturedLog>()),
      runtime_({.workers = 1, .io = options.io, .manual_clock = true, .log = log_of(log_)}),
      server_(runtime_, std::move(app), options.server),
      wait_timeout_(options.wait_timeout) {
  const auto ends_at = std::chrono::steady_clock::now() + wait_timeout_;
  if (server_.prepare([&] { return std::chrono::steady_clock::now() < ends_at; })) return;
  throw TestFailure("a step of before_listen() did not end: the clock stands still, so it must not wait for a time");
}

// Lines that the end of the runtime logs, such as the names of tasks that do not end, are printed.
Harness::~Harness() {
  runtime_.log().flush(kFlushLimit);
  if (std::uncaught_exceptions() == exceptions_) {
    log_->end_capture();
  } else {
    log_->print();
  }
}

std::string Harness::log() {
  settle();
  runtime_.log().flush(kFlushLimit);
  return log_->text();
}

Socket Harness::connect() {
  auto ends = connected_sockets();
  if (!ends) throw std::system_error(ends.error(), "socketpair");
  Socket ours(ends->first.release(), wait_timeout_);
  server_.serve(TcpStream(ends->second.release()));
  return ours;
}

Socket Harness::take() {
  drop_closed();
  if (waiting_.empty()) return connect();
  Socket socket = std::move(waiting_.back());
  waiting_.pop_back();
  return socket;
}

void Harness::drop_closed() {
  std::string surplus;
  std::erase_if(waiting_, [&](Socket& socket) { return socket.try_receive(surplus) == TransferResult::ended; });
  if (!surplus.empty()) throw TestFailure("the server sent unexpected bytes after a response: " + surplus);
}

bool Harness::drain(std::chrono::milliseconds limit) {
  server_.start_drain();
  for (std::chrono::milliseconds passed(0);; passed += kDrainStep) {
    server_.nudge();
    settle();
    drop_closed();
    settle();
    if (server_.drained() || passed >= limit) break;
    runtime_.advance_clock(kDrainStep);
  }
  const bool drained = server_.drained();
  finish();
  return drained;
}

// A part of the real time that a wait may take passes before the clock is advanced, so that what waits for other
// threads is not timed out.
bool Harness::wait_with_clock(std::chrono::steady_clock::time_point began) {
  constexpr int kParts = 10;
  const auto waited = std::chrono::steady_clock::now() - began;
  if (waited > wait_timeout_ / kParts) runtime_.advance_clock(kDrainStep);
  return waited < wait_timeout_;
}

void Harness::finish() {
  if (std::exchange(finished_, true)) return;
  server_.finish([this, began = std::chrono::steady_clock::now()] { return wait_with_clock(began); });
}

std::vector<std::string> Harness::not_ready() {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(1);
  const auto began = std::chrono::steady_clock::now();
  server::start_checks(server_.readiness(), runtime_);
  for (;;) {
    settle();
    // The checks time out by the clock of the server; here they are waited for.
    if (const auto failures = server::failures_after(server_.readiness(), std::chrono::nanoseconds(0))) {
      std::vector<std::string> names;
      for (const server::ReadinessFailure& failure : *failures) names.push_back(failure.check);
      return names;
    }
    if (!wait_with_clock(began)) throw TestFailure("a check of ready_when() did not end");
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

std::chrono::sys_seconds Harness::now() { return TestClock(runtime_).now(); }

}  // namespace volt::http::testing
