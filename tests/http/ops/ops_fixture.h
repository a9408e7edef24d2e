// SPDX-License-Identifier: MIT

// OpsFixture: a server with a few routes, and an ops server that monitors it, both on loopback ports.
//
// Threads: the test's thread.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "http/json/json.h"
#include "http/ops/ops.h"
#include "http/server/app.h"
#include "http/web/event_stream.h"
#include "http/web/extract.h"
#include "http/web/stream.h"
#include "runtime/base/atomic.h"
#include "runtime/time.h"
#include "tests/http/ops/prometheus_reader.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/waiting.h"

namespace volt::test {

// Computes for some milliseconds, mostly in itself.
[[gnu::noinline]] inline std::string compute_for(const std::string& id) {
  std::uint64_t hash = id.size();
  for (std::uint64_t i = 0; i != 3'000'000; ++i) hash = (hash ^ i) * 0x9e3779b97f4a7c15;
  return std::to_string(hash);
}

// Returns the app under test. /hold blocks its worker until `released` is true.
inline http::App app_with_many_routes(const base::Atomic<bool>& released) {
  using namespace std::chrono_literals;
  http::App app;
  app.get("/items/{id}", [](http::Path<std::string> id) { return *id; });
  app.post("/items/{id}", [] { return http::Status::conflict; });
  app.get("/broken", []() -> std::string { throw std::runtime_error("broken"); });
  app.get("/slow", []() -> Task<std::string> {
    co_await sleep_for(1h);
    co_return "";
  });
  app.get("/hold", [&released] {
    static_cast<void>(eventually([&] { return released.load(base::seq_cst); }));
    return "done";
  });
  app.get("/events", [](http::EventStream& out) -> Task<> {
    co_await out.send("first");
    co_await sleep_for(1h);
  });
  app.get("/compute/{id}", [](http::Path<std::string> id) { return compute_for(*id); });
  app.get("/early", [] {
    return http::stream("text/plain", [](http::BodyWriter&) -> Task<> {
      co_await yield();
      throw std::runtime_error("thrown before the first write");
    });
  });
  return app;
}

// A monitored server, its ops server, and clients for both.
class OpsFixture {
 public:
  explicit OpsFixture(http::OpsOptions options = {})
      : server_(runtime_, app_with_many_routes(released_), {.queue_delay_max = std::chrono::minutes(1)}),
        ops_(runtime_, server_, std::move(options)) {
    const auto asked_at = ops_.start(*Address::parse("127.0.0.1:0"));
    REQUIRE(asked_at);
    ops_address_ = *asked_at;
    const auto served_at = server_.listen(*Address::parse("127.0.0.1:0"));
    REQUIRE(served_at);
    address_ = *served_at;
  }
  ~OpsFixture() { release(); }
  OpsFixture(const OpsFixture&) = delete;
  OpsFixture& operator=(const OpsFixture&) = delete;

  [[nodiscard]] HttpClient client() const { return HttpClient(address_); }
  [[nodiscard]] HttpClient operator_client() const { return HttpClient(ops_address_); }
  [[nodiscard]] Reply ask(std::string_view path) const {
    return operator_client().ask("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  // Sends a request to the server and ignores the response.
  void use(const std::string& method_and_target, const std::string& body = {}) const {
    static_cast<void>(client().ask(method_and_target + " HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                                   std::to_string(body.size()) + "\r\n\r\n" + body));
  }
  [[nodiscard]] PrometheusReader metrics() const { return PrometheusReader(ask("/metrics").body); }
  template <class T>
  [[nodiscard]] T report(std::string_view path) const {
    auto report = http::from_json<T>(ask(path).body);
    REQUIRE(report);
    return *report;
  }

  // Lets the handlers of /hold return.
  void release() noexcept { released_.store(true, base::seq_cst); }

  [[nodiscard]] http::OpsServer& ops() noexcept { return ops_; }
  [[nodiscard]] http::Server& server() noexcept { return server_; }
  [[nodiscard]] std::uint16_t ops_port() const noexcept { return ops_address_.port(); }

 private:
  base::Atomic<bool> released_{false};
  Runtime runtime_{test_options()};
  http::Server server_;
  http::OpsServer ops_;
  Address ops_address_;
  Address address_;
};

}  // namespace volt::test
