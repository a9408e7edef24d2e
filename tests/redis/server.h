// SPDX-License-Identifier: MIT

// Access to the server that tests/support/private_redis.py has started, through REDIS_URL; and servers that a test
// writes itself.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redis/redis.h"
#include "runtime/runtime.h"
#include "runtime/spawn.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/database.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"

namespace volt::redis::test {

using namespace std::chrono_literals;
using volt::test::becomes;
using volt::test::error_of;

inline std::string variable(const char* name) { return volt::test::variable(name, "tests/support/private_redis.py"); }

// Long timeouts, so that a loaded machine does not fail tests that are not about time.
inline PoolOptions patient(std::size_t connections_max = 2) {
  PoolOptions options;
  options.url = variable("REDIS_URL");
  options.connections_max = connections_max;
  options.connect_timeout = 60s;
  options.acquire_timeout = 60s;
  options.command_timeout = 60s;
  return options;
}

template <class Body>
void with_pool(PoolOptions options, Body body) {
  volt::test::with_pool_of<Pool>(std::move(options), std::move(body));
}

// A server that answers each connection with `answers`, in turn: one after each read. The rest stays unanswered, and
// the connection open.
inline Task<> converse(TcpStream stream, std::vector<std::string> answers) {
  std::vector<std::byte> buffer(64 * 1024);
  std::size_t next = 0;
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return;
    if (next == answers.size()) continue;
    const std::string& answer = answers[next++];
    const Result<void> written = co_await stream.write_all(std::as_bytes(std::span(answer)));
    if (!written) co_return;
  }
}

inline Task<> pretend(TcpListener listener, std::vector<std::string> answers) {
  for (;;) {
    Result<TcpStream> stream = co_await listener.accept();
    if (stream) spawn(converse, *std::move(stream), answers).detach();
  }
}

// Runs `body(pool)` with a scripted server, whose first answer is that to the PING of the login.
template <class Body>
void with_scripted(std::vector<std::string> answers, PoolOptions options, Body body) {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    TcpListener listener = TcpListener::bind(Address::parse("127.0.0.1:0").value()).value();
    options.url = "redis://127.0.0.1:" + std::to_string(listener.local_address().port());
    const auto server = spawn(pretend, std::move(listener), std::move(answers));
    {
      Pool pool(std::move(options));
      co_await body(pool);
    }
    server.cancel();
  });
}

}  // namespace volt::redis::test
