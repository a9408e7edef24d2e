// SPDX-License-Identifier: MIT

// ConnectionPool: the connections of a pool, the leases on them, and the tasks that wait for a lease.
//
// A command needs a lease on a connection. If no connection has room, or none is open, the task waits in a queue: first
// come, first served. Each connection has a task, which opens the connection and runs until the connection ends. If an
// attempt to connect fails while tasks wait, it pauses and tries again.
//
// Threads: any; one lock, held while the slots are searched.
// Lifetime: shared by the pool, its leases and the tasks of its connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "redis/internal/connection.h"
#include "redis/internal/connector.h"
#include "redis/internal/lease.h"
#include "redis/internal/pool_statistics.h"
#include "redis/internal/reachability.h"
#include "redis/pool.h"
#include "runtime/oneshot.h"
#include "runtime/task.h"

namespace volt::redis::internal {

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
 public:
  explicit ConnectionPool(PoolOptions options);

  // Waits for a lease for a command of `bytes`. Throws Unavailable if too many tasks wait, if the wait takes longer
  // than PoolOptions::acquire_timeout, or if the server refuses the login.
  [[nodiscard]] Task<Lease> acquire(std::size_t bytes);

  // Closes idle connections now, and the others when their leases end. Called when the last handle of the pool is
  // destroyed.
  void close();
  [[nodiscard]] PoolState state() const;
  [[nodiscard]] const PoolOptions& options() const noexcept { return connector_->options(); }
  [[nodiscard]] const std::shared_ptr<Connector>& connector() const noexcept { return connector_; }
  [[nodiscard]] const std::shared_ptr<PoolStatistics>& statistics() noexcept { return statistics_; }

 private:
  friend class Lease;

  using Granted = std::variant<Lease, std::string>;  // the string: why there is none
  struct Waiter {
    std::size_t bytes;
    OneshotSender<Granted> sender;  // closed() if the task no longer waits
  };
  struct Grant {
    OneshotSender<Granted> sender;
    Granted granted;
  };
  using Grants = std::vector<Grant>;

  struct Slot {
    std::shared_ptr<Connection> connection = nullptr;
    bool connecting = false;
    bool retired = false;   // closed as idle: no further leases
    std::size_t users = 0;  // number of leases
    std::size_t bytes = 0;  // of the commands with a lease
  };

  // The task of a connection: opens it, in several attempts if tasks wait, puts it into slot `index`, and serves it
  // until it ends.
  static Task<> run(std::shared_ptr<ConnectionPool> pool, std::size_t index);
  static void hand_out(Grants& grants);

  [[nodiscard]] std::optional<Lease> try_acquire(std::size_t bytes);
  [[nodiscard]] OneshotReceiver<Granted> wait_in_line(std::size_t bytes);
  [[nodiscard]] std::optional<Lease> take_locked(std::size_t bytes);
  [[nodiscard]] bool has_room_locked(const Slot& slot, std::size_t bytes) const noexcept;
  [[nodiscard]] std::size_t first_slot() const noexcept;
  void open_another_locked();
  void serve_locked(Grants& grants);
  void drop_closed_waiters_locked();
  void refuse_all_locked(Grants& grants, const std::string& why);
  [[nodiscard]] bool has_connection_locked() const noexcept;
  [[nodiscard]] std::string why_none() const;

  [[nodiscard]] std::chrono::nanoseconds pause() const;
  void connected(std::size_t index, std::shared_ptr<Connection> connection);
  // Returns whether to try again, because tasks wait.
  [[nodiscard]] bool failed(std::size_t index, const std::string& reason, bool final);
  void stopped(std::size_t index);
  [[nodiscard]] bool retire(std::size_t index);
  void ended(std::size_t index);
  void give_back(const Connection& connection, std::size_t bytes);

  const std::shared_ptr<Connector> connector_;
  const std::shared_ptr<PoolStatistics> statistics_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::deque<Waiter> waiting_;
  std::string last_failure_;
  Reachability reachability_;
  std::chrono::nanoseconds backoff_{0};   // wait after a failed attempt to connect; 0: the last attempt succeeded
  std::chrono::nanoseconds retry_at_{0};  // no attempt before this time
  std::size_t connecting_ = 0;
  bool closed_ = false;
};

}  // namespace volt::redis::internal
