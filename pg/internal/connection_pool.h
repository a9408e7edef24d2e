// SPDX-License-Identifier: MIT

// ConnectionPool: the connections of a pool, the leases on them, and the tasks that wait for a lease.
//
// A query needs a shared lease on a connection, and a transaction an exclusive one. A transaction begins after the
// queries that are in progress on its connection. If no connection has room, the task waits in a queue: first come,
// first served. A task that needs a lease may cause the pool to open a connection. Each connection has a task, which
// opens the connection and runs until the connection ends.
//
// Rejected: a Semaphore (runtime/semaphore.h) of connections_max * pipeline_max permits instead of the queue. A number
// of permits does not describe which leases are possible:
//   - A lease belongs to one connection, the least loaded one. An exclusive lease closes its connection to other tasks,
//     although permits would be left. A connection that is closed to others has room that no waiter may use.
//   - The number of permits would have to change with each connection that opens, ends or is retired. Permits that
//     tasks hold would have to disappear with their connection.
//   - Waiting tasks open connections. When no connection is left and none can be opened, all of them fail at once with
//     the reason; the waiters of a semaphore would wait until their time limit.
// With a semaphore in front, a task would hold a permit and still have to wait in a second queue for a connection.
//
// Threads: any; one lock, held while the slots are searched.
// Lifetime: shared by the pool, its leases and the tasks of its connections.
#pragma once

#include <string.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pg/internal/connection.h"
#include "pg/internal/lease.h"
#include "pg/internal/pool_statistics.h"
#include "pg/internal/reachability.h"
#include "pg/options.h"
#include "pg/pool.h"
#include "runtime/oneshot.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
 public:
  explicit ConnectionPool(PoolOptions options) : options_(std::move(options)), slots_(options_.connections_max) {}
  // Overwrites the connection string, which contains the password.
  ~ConnectionPool() { ::explicit_bzero(options_.url.data(), options_.url.size()); }
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // Waits for a lease. Throws Unavailable if too many tasks wait, if the wait takes longer than
  // PoolOptions::acquire_timeout, or if no connection is left and none can be opened.
  [[nodiscard]] Task<Lease> acquire(Share share);
  // Returns a lease if that needs no wait.
  [[nodiscard]] std::optional<Lease> try_acquire(Share share);

  // Closes idle connections now, and the others when their leases end. Called when the last handle of the pool is
  // destroyed.
  void close();
  [[nodiscard]] PoolState state() const;
  [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }
  [[nodiscard]] PoolStatistics& statistics() noexcept { return statistics_; }

 private:
  friend class Lease;

  using Granted = std::variant<Lease, std::exception_ptr>;
  struct Waiter {
    Share share;
    OneshotSender<Granted> sender;  // closed() if the task no longer waits
  };
  struct Grant {
    OneshotSender<Granted> sender;
    Granted granted;
  };
  using Grants = std::vector<Grant>;

  struct Slot {
    std::shared_ptr<Connection> connection;
    bool connecting = false;
    bool exclusive = false;         // leased to a transaction
    bool closed_to_others = false;  // no further leases until the last one has ended
    std::size_t users = 0;          // number of leases
  };

  // The task of a connection: opens the connection, puts it into slot `index`, and serves it until it ends.
  static Task<> run(std::shared_ptr<ConnectionPool> pool, std::size_t index);

  [[nodiscard]] std::optional<Lease> take_locked(Share share);
  [[nodiscard]] std::size_t first_slot() const noexcept;
  void open_another_locked();
  void serve_locked(Grants& grants);
  void drop_closed_waiters_locked();
  void refuse_all_locked(Grants& grants);
  [[nodiscard]] std::exception_ptr why_unavailable_locked() const;
  [[nodiscard]] bool hopeless_locked() const noexcept;
  [[nodiscard]] bool has_connection_locked() const noexcept;
  [[nodiscard]] Slot* slot_of_locked(const Connection* connection) noexcept;

  [[nodiscard]] OneshotReceiver<Granted> wait_in_line(Share share);
  void connected(std::size_t index, std::shared_ptr<Connection> connection, const std::string& database);
  // `by_cancel`: not the database has failed, but the task was cancelled.
  void failed(std::size_t index, std::string reason, bool by_cancel);
  [[nodiscard]] bool retire(std::size_t index);
  void ended(std::size_t index);
  void give_back(const std::shared_ptr<Connection>& connection, Share share);
  void close_to_others(const Connection& connection);

  PoolOptions options_;  // constant until the destructor
  PoolStatistics statistics_;
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

}  // namespace volt::pg::internal
