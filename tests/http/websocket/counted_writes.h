// SPDX-License-Identifier: MIT

// CountedWrites: an upgraded connection that counts how often it is written to.
//
// Threads: as UpgradedStream. Lifetime: the other stream and the count must outlive this one.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "http/server/app.h"
#include "http/web/upgrade.h"
#include "http/websocket/internal/run_handler.h"
#include "http/websocket/internal/websocket_connection.h"
#include "http/websocket/protocol/handshake.h"

namespace volt::http::websocket {

class CountedWrites final : public UpgradedStream {
 public:
  CountedWrites(UpgradedStream& to, std::size_t& count) noexcept : to_(to), count_(count) {}

  [[nodiscard]] net::ReadyWait readable() noexcept override { return to_.readable(); }
  [[nodiscard]] net::ReadyWait writable() noexcept override { return to_.writable(); }
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override { return to_.try_read(into); }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    ++count_;
    return to_.try_write(from);
  }
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept override { to_.set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept override { to_.set_write_deadline_in(limit); }
  void expect_more() noexcept override { to_.expect_more(); }
  void interrupt_read() noexcept override { to_.interrupt_read(); }
  void shutdown_write() noexcept override { to_.shutdown_write(); }
  [[nodiscard]] Task<Result<void>> await_memory() override { return to_.await_memory(); }
  [[nodiscard]] bool draining() const noexcept override { return to_.draining(); }

 private:
  UpgradedStream& to_;
  std::size_t& count_;
};

// Returns an app with a WebSocket at /ws, and counts in `writes` how often it is written to, until the app ends.
inline App counting(std::size_t& writes, std::function<Task<>(WebSocket&)> handler) {
  class Counting final : public Upgrade {
   public:
    Counting(std::size_t& writes, WebSocketHandler handler) : writes_(writes), handler_(std::move(handler)) {}
    [[nodiscard]] std::string_view protocol() const noexcept override { return "websocket"; }
    [[nodiscard]] Task<> run(UpgradedStream& stream) override {
      CountedWrites counted(stream, writes_);
      const WebSocketOptions options;
      WebSocketConnection socket(counted, options, Role::server, {});
      co_await run_handler(socket, handler_);
    }

   private:
    std::size_t& writes_;
    WebSocketHandler handler_;
  };
  App app;
  app.get("/ws", [&writes, handler](const Request& request) {
    Response response = Response::upgrade(std::make_unique<Counting>(writes, handler));
    response.header("Sec-WebSocket-Accept", accept_key(request.header("sec-websocket-key").value_or("")));
    return response;
  });
  return app;
}

}  // namespace volt::http::websocket
