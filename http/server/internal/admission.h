// Admission: a connection's place: among those of its listener, of the server, on its worker, and of its client. It is
// given back when this goes.
//
// Threads: moves with the connection; begun and ended on any worker, or outside. Lifetime: keeps server_state and listener_state alive.
#pragma once

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

  // Those of a connection that must not be refused.
  [[nodiscard]] static ConnectionPermits overdrawn(ServerState& server_state, ListenerState& listener_state) noexcept {
    return {.listener = listener_state.connections.overdraw(), .server = server_state.overload.connections.overdraw()};
  }
};

class Admission {
 public:
  // For a connection that holds `permits`. `preferred` is the worker that accepted it.
  Admission(std::shared_ptr<ServerState> server_state, std::shared_ptr<ListenerState> listener_state,
            ConnectionPermits permits, std::uint32_t preferred) noexcept
      : server_state_(std::move(server_state)),
        listener_state_(std::move(listener_state)),
        permits_(std::move(permits)),
        home_(server_state_->placement.enter(preferred)) {}
  Admission(Admission&&) noexcept = default;
  Admission& operator=(Admission&&) = delete;
  ~Admission();

  // Counts the connection for its client, once it is known who that is. False: that one has as many as it may. Throws
  // std::bad_alloc.
  [[nodiscard]] bool admit(const IoChannel& io_channel);

  [[nodiscard]] ServerState& server_state() const noexcept { return *server_state_; }
  [[nodiscard]] const ListenerState& listener_state() const noexcept { return *listener_state_; }
  // The worker where the connection is to live.
  [[nodiscard]] std::uint32_t home() const noexcept { return home_; }

 private:
  std::shared_ptr<ServerState> server_state_;  // null: moved from
  std::shared_ptr<ListenerState> listener_state_;
  ConnectionPermits permits_;  // released before the states that they belong to
  std::uint32_t home_;
  std::optional<ClientCounts::Client> client_;
};

}  // namespace volt::http::server
