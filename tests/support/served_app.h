// SPDX-License-Identifier: MIT

// ServedApp: an App on a loopback port of its own, with the reactor that VOLT_TEST_IO names.
//
// Threads: the test's. Lifetime: the server goes with it, its connections are cut.
#pragma once

#include <chrono>
#include <stdexcept>
#include <utility>

#include "http/server/server.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt::test {

// The options of a server that refuses no request for its delay: on a slow machine any may have waited for long.
[[nodiscard]] inline http::ServerOptions patient_options() noexcept {
  return {.queue_delay_max = std::chrono::milliseconds(0)};
}

class ServedApp {
 public:
  explicit ServedApp(http::App app, http::ServerOptions options = patient_options(), std::uint32_t workers = 2,
                     http::ListenerOptions listener_options = {})
      : ServedApp(std::move(app), options, test_options(workers), std::move(listener_options)) {}
  ServedApp(http::App app, http::ServerOptions options, const RuntimeOptions& runtime_options,
            http::ListenerOptions listener_options = {})
      : runtime_(runtime_options), server_(runtime_, std::move(app), options) {
    const auto bound = server_.listen(*Address::parse("127.0.0.1:0"), std::move(listener_options));
    if (!bound) throw std::runtime_error("listen: " + bound.error().message());
    address_ = *bound;
  }

  [[nodiscard]] const Address& address() const noexcept { return address_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return address_.port(); }
  [[nodiscard]] http::Server& server() noexcept { return server_; }
  [[nodiscard]] Runtime& runtime() noexcept { return runtime_; }

  // As volt::run drains; true if every connection ended in time.
  [[nodiscard]] bool drain(std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    server_.start_drain();
    return eventually([&] { return server_.nudge(), server_.drained(); }, limit);
  }
  // True if the number of connections became that.
  [[nodiscard]] bool has_connections(std::size_t count, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    return eventually([&] { return server_.connection_count() == count; }, limit);
  }

 private:
  Runtime runtime_;
  http::Server server_;
  Address address_;
};

}  // namespace volt::test
