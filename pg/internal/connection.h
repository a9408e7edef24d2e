// Connection: one connection to the server, on which any number of tasks have queries under way.
//
// It has two tasks. read() waits for answers and hands them out; it ends with the connection. write() sends what libpq
// has queued: it lets the tasks that are runnable add theirs first, so that one write carries them all. It also sees to
// answers that nobody waits for any more: when nothing else is under way, and they do not come soon, it asks the server to
// stop, and closes the connection, since that request might hit whatever came next.
//
// Threads: any, but for the two tasks. libpq's calls are made under a lock; none of them waits.
// Lifetime: shared by its tasks, the pool and leases. Cancellation: of its tasks, when the runtime stops: it closes.
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

  // Sends the queries, whose outcomes will be in `reply`. False: the connection had ended, and nothing was sent; then the
  // reply still has its lease. In a task.
  [[nodiscard]] bool send(std::span<const Query> queries, const std::shared_ptr<Reply>& reply);
  // Whoever waited for it has gone. In a task.
  void abandon(Reply& reply);
  // Ends it: what is under way is lost. Any thread.
  void close() noexcept { socket_.shut_down(); }  // read() sees the end

  // Until the connection is at its end, or was not used for PoolOptions::idle_timeout and `may_leave` agrees, which is
  // asked without a lock held.
  static Task<> read(std::shared_ptr<Connection> connection, std::function<bool()> may_leave);
  static Task<> write(std::shared_ptr<Connection> connection);
  // After read(), in any case: those who wait are told that it is lost.
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
  Notify work_;  // for write()
  std::mutex mutex_;
  Pipeline pipeline_;
  bool unsent_ = false;
  bool ended_ = false;
  std::chrono::nanoseconds used_at_;
};

}  // namespace volt::pg::internal
