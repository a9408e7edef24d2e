// SPDX-License-Identifier: MIT

// Admission: the resources that a connection occupies. They are a permit of its listener, a permit of the server, a
// place on its worker, and a place among the connections of its client. The destructor gives all of them back.
//
// Threads: moves with the connection; made and destroyed on any worker, or outside of the runtime.
// Lifetime: keeps server_state and listener_state alive.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "http/server/internal/io_channel.h"
#include "http/server/internal/listener_state.h"
#include "http/server/server_state.h"
#include "runtime/semaphore.h"

namespace volt::http::server {

// The permits of one connection: one of its listener, one of the server.
struct ConnectionPermits {
  Semaphore::Permit listener;
  Semaphore::Permit server;

  // Takes permits for a connection that must not be refused, even if none are left.
  [[nodiscard]] static ConnectionPermits overdrawn(ServerState& server_state, ListenerState& listener_state) noexcept {
    return {.listener = listener_state.connections.overdraw(), .server = server_state.overload.connections.overdraw()};
  }
};

class Admission {
 public:
  // Takes over `permits`. `preferred` is the worker that accepted the connection. `backlog_wait` is the time for which
  // the connection waited to be accepted.
  Admission(std::shared_ptr<ServerState> server_state, std::shared_ptr<ListenerState> listener_state,
            ConnectionPermits permits, std::uint32_t preferred,
            std::chrono::milliseconds backlog_wait = std::chrono::milliseconds(0)) noexcept
      : server_state_(std::move(server_state)),
        listener_state_(std::move(listener_state)),
        home_(server_state_->placement.enter(preferred)),
        backlog_wait_ms_(static_cast<std::uint32_t>(backlog_wait.count())) {
    permits.listener.forget();  // the destructor releases both: members for them would take 32 bytes per connection
    permits.server.forget();
  }
  Admission(Admission&&) noexcept = default;
  Admission& operator=(Admission&&) = delete;
  ~Admission();

  // Counts the connection for its client. Must be called once the client's address is known. Returns false if the
  // client already has its maximum number of connections. Throws std::bad_alloc.
  [[nodiscard]] bool admit(const IoChannel& io_channel);

  [[nodiscard]] ServerState& server_state() const noexcept { return *server_state_; }
  [[nodiscard]] const ListenerState& listener_state() const noexcept { return *listener_state_; }
  // The worker on which the connection is to be served.
  [[nodiscard]] std::uint32_t home() const noexcept { return home_; }
  // How long the connection has waited to be accepted. 0 if the workers were not busy then.
  [[nodiscard]] std::chrono::milliseconds backlog_wait() const noexcept {
    return std::chrono::milliseconds(backlog_wait_ms_);
  }

 private:
  std::shared_ptr<ServerState> server_state_;  // null: moved from
  std::shared_ptr<ListenerState> listener_state_;
  std::uint32_t home_;
  std::uint32_t backlog_wait_ms_;
  std::optional<ClientCounts::Client> client_;
};

}  // namespace volt::http::server
