// SPDX-License-Identifier: MIT

// Connection: one connection to the server, with queries of any number of tasks in progress.
//
// It has two tasks. read() receives results and delivers them; it ends with the connection. write() sends the queries
// that libpq has queued. It lets runnable tasks add their queries first, so that one write carries them all.
// write() also handles abandoned queries. If only abandoned queries are in progress and their results do not arrive
// soon, it closes the connection and sends a cancel request to the server. The connection is not reused, because the
// cancel request might hit a later query.
//
// Threads: any; read() and write() run only in the two tasks. Calls of libpq are made under a lock; none of them
// blocks.
// Lifetime: shared by its tasks, the pool and leases. Cancellation: its tasks are canceled when the runtime stops,
// which closes the connection.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "pg/internal/connect.h"
#include "pg/internal/pipeline.h"
#include "pg/options.h"
#include "runtime/notify.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class Connection {
 public:
  Connection(Connected connected, const PoolOptions& options);

  // Sends the queries; their outcomes will be stored in `reply`. Returns false if the connection has ended and nothing
  // was sent; then the reply keeps its lease. Must be called in a task.
  [[nodiscard]] bool send(std::span<const Query> queries, const std::shared_ptr<Reply>& reply);
  // Abandons a reply whose receiver stopped waiting. Must be called in a task.
  void abandon(Reply& reply);
  // Ends the connection; queries in progress are lost. May be called from any thread.
  void close() noexcept { socket_.shut_down(); }  // ends read()

  // Receives results until the connection ends, or was unused for PoolOptions::idle_timeout and `may_leave` returns
  // true. `may_leave` is called without a lock held.
  static Task<> read(std::shared_ptr<Connection> connection, std::function<bool()> may_leave);
  static Task<> write(std::shared_ptr<Connection> connection);
  // Fails all replies with ConnectionLost. Must be called after read(), however read() ended.
  void end();

 private:
  [[nodiscard]] bool receive();
  [[nodiscard]] bool unused_for_long();
  [[nodiscard]] bool has_only_abandoned();
  [[nodiscard]] bool take_unsent();
  [[nodiscard]] Flushed flush();
  [[nodiscard]] Task<> flush_all();
  [[nodiscard]] Task<> stop_server();
  [[nodiscard]] bool ended();

  const std::chrono::milliseconds idle_timeout_;
  const std::chrono::milliseconds drain_timeout_;
  const std::chrono::milliseconds write_timeout_;
  SharedSocket socket_;
  Notify work_;  // wakes write()
  std::mutex mutex_;
  Pipeline pipeline_;
  bool unsent_ = false;
  bool ended_ = false;
  std::chrono::nanoseconds used_at_;
};

}  // namespace volt::pg::internal
