// SPDX-License-Identifier: MIT

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "http/ops/internal/monitored_server.h"
#include "http/ops/internal/service.h"
#include "http/ops/internal/stall_log.h"
#include "http/ops/ops.h"

namespace volt::http {

struct OpsServer::Parts {
  ops::MonitoredServer watched;
  OpsOptions options;
  std::optional<Runtime> runtime = std::nullopt;  // has one worker, which serves only the ops app
  std::optional<Server> server = std::nullopt;
  std::optional<ops::StallLog> stalls = std::nullopt;
};

OpsServer::OpsServer(Runtime& watched_runtime, Server& watched_server, OpsOptions options)
    : parts_(new Parts{.watched = {.runtime = watched_runtime, .server_state = watched_server.server_state_},
                       .options = std::move(options)}) {}

OpsServer::~OpsServer() { stop(); }

Result<void> OpsServer::start_thread() {
  if (parts_->runtime) return {};
  Runtime& watched = parts_->watched.runtime;
  // The engine is not `uring` even if the monitored runtime uses io_uring: the kernel may lack memory for one more
  // ring. `automatic` then falls back to epoll.
  const IoEngine io = watched.engine() == IoEngine::uring ? IoEngine::automatic : IoEngine::epoll;
  try {
    parts_->runtime.emplace(
        RuntimeOptions{.workers = 1, .io = io, .spare_workers_max = 0, .log = watched.shared_log()});
  } catch (const std::system_error& error) {
    return std::unexpected(error.code());
  }
  parts_->watched.server_state->measure();  // before the background task of the ops server reads the figures
  // The ops server must respond while the monitored server is overloaded, so it has no overload limits itself.
  parts_->server.emplace(*parts_->runtime, ops::make_service(parts_->watched, parts_->options),
                         ServerOptions{.queue_delay_max = std::chrono::milliseconds(0),
                                       .heavy_delay_max = std::chrono::milliseconds(0),
                                       .memory_bytes_max = std::numeric_limits<std::int64_t>::max()});
  parts_->stalls.emplace(parts_->watched, *parts_->runtime);
  watched.on_stall([parts = parts_.get()](const Stall& stall) { parts->stalls->note(stall); });
  return {};
}

Result<Address> OpsServer::start(const Address& address) {
  const auto started = start_thread();
  if (!started) return std::unexpected(started.error());
  return parts_->server->listen(address);
}

Result<void> OpsServer::start(TcpListener listener) {
  const auto started = start_thread();
  if (started) parts_->server->listen(std::move(listener));
  return started;
}

void OpsServer::set_ready(bool ready) noexcept { parts_->watched.readiness.set(ready); }

void OpsServer::stop() noexcept {
  if (!parts_->runtime) return;
  parts_->watched.runtime.on_stall(nullptr);
  parts_->stalls.reset();
  parts_->server.reset();
  parts_->runtime.reset();
}

}  // namespace volt::http
