// SPDX-License-Identifier: MIT

#include "http/testing/internal/harness.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "http/message/ascii.h"
#include "http/server/readiness_checks.h"
#include "http/testing/test_client.h"

namespace volt::http::testing {
namespace {

constexpr std::chrono::milliseconds kDrainStep(100);

// Returns whether the cookie is to be deleted at once (RFC 6265 section 5.2). Only Max-Age is evaluated.
bool expires_at_once(std::string_view attributes) noexcept {
  while (!attributes.empty()) {
    const std::size_t end = std::min(attributes.find(';'), attributes.size());
    const std::string_view attribute = message::trim_ows(attributes.substr(0, end));
    attributes.remove_prefix(std::min(end + 1, attributes.size()));
    const std::size_t equals = attribute.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = attribute.substr(equals + 1);
    if (message::equal_ignoring_case(attribute.substr(0, equals), "max-age")) {
      return value.starts_with('-') || value == "0";
    }
  }
  return false;
}

}  // namespace

Harness::Harness(App app, const TestClientOptions& options)
    : runtime_({.workers = 1, .io = options.io, .manual_clock = true}),
      server_(runtime_, std::move(app), options.server),
      wait_timeout_(options.wait_timeout) {
  const auto ends_at = std::chrono::steady_clock::now() + wait_timeout_;
  if (server_.prepare([&] { return std::chrono::steady_clock::now() < ends_at; })) return;
  throw TestFailure("a step of before_listen() did not end: the clock stands still, so it must not wait for a time");
}

Socket Harness::connect() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    throw std::system_error(errno, std::system_category(), "socketpair");
  }
  Socket ours(ends[0], wait_timeout_);
  server_.serve(TcpStream(ends[1]));
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

void Harness::note_cookies(const TestResponse& response) {
  if (!keeps_cookies_) return;
  for (const TestField& field : response.headers()) {
    if (message::equal_ignoring_case(field.name, "set-cookie")) note_cookie(field.value);
  }
}

void Harness::note_cookie(std::string_view set_cookie) {
  const std::size_t end = std::min(set_cookie.find(';'), set_cookie.size());
  const std::string_view pair = set_cookie.substr(0, end);
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = message::trim_ows(pair.substr(0, equals));
  std::erase_if(cookies_, [&](const TestField& cookie) { return cookie.name == name; });
  if (expires_at_once(set_cookie.substr(end))) return;
  cookies_.push_back({std::string(name), std::string(message::trim_ows(pair.substr(equals + 1)))});
}

}  // namespace volt::http::testing
