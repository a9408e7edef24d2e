// SPDX-License-Identifier: MIT

// ConnectionPool: the connections of a pool, the leases on them, and the tasks that wait for a lease. The pools of
// `pg` and `redis` derive from it, and add how a connection is opened.
//
// A query needs a shared lease on a connection, and a transaction an exclusive one. A transaction begins after the
// queries that are in progress on its connection, so the connection must have no lease whose query was not sent yet:
// that query would be sent after the beginning of the transaction, and be part of it.
//
// If no connection has room, the task waits in a queue: first come, first served. A task that needs a lease may cause
// the pool to open a connection. Each connection has a task, which opens the connection and runs until it ends.
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
//
// Edges
//   L1  the query of a lease is in the queue of its connection  ->  the connection is leased exclusively
//   L2  set_sent: decrement of unsent_leases_, load of exclusive_waits_  x
//       wait_in_line: store of exclusive_waits_, load of unsent_leases_ : all seq_cst, so that one side sees the other,
//       and no waiter is forgotten
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "database/lease.h"
#include "database/pool_statistics.h"
#include "database/reachability.h"
#include "runtime/base/atomic.h"
#include "runtime/oneshot.h"
#include "runtime/task.h"

namespace volt::database {

// A connection of a pool.
class PooledConnection {
 public:
  PooledConnection() = default;
  PooledConnection(const PooledConnection&) = delete;
  PooledConnection& operator=(const PooledConnection&) = delete;
  virtual ~PooledConnection() = default;

  // Runs until the connection ends, or `may_leave` returns true when the connection was unused for long or is not worth
  // keeping. `may_leave` must be called without a lock held. The connection outlives the task.
  [[nodiscard]] virtual Task<> serve(std::function<bool()> may_leave) = 0;
  // Ends the connection: serve() returns soon. May be called from any thread, also under the lock of the pool: it must
  // not destroy a lease, nor take a lock that is held while a lease is destroyed or marked (Lease::set_sent(),
  // Lease::close_to_others()).
  virtual void close() noexcept = 0;
  // Fails what is in progress. Called after serve(), however it ended: also if memory lacks.
  virtual void end() noexcept = 0;

 private:
  friend class Lease;
  friend class ConnectionPool;
  [[nodiscard]] bool has_unsent_leases() const noexcept {
    return unsent_leases_.load(base::seq_cst) != 0;  // L1, L2
  }

  base::Atomic<std::uint32_t> unsent_leases_{0};  // number of leases without Lease::set_sent()
};

struct ConnectionPoolOptions {
  std::size_t connections_max = 1;  // maximum number of connections
  std::size_t leases_max = 1;       // maximum number of leases on one connection
  // Maximum sum of Demand::bytes on one connection. One larger demand may have a connection alone.
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();
  // Another connection is opened when the least loaded one has this number of leases.
  std::size_t busy_leases = 1;
  std::size_t connecting_max = 1;  // maximum number of connections that are opened at the same time
  std::size_t waiting_max = 1;     // maximum number of tasks that wait for a lease
  // For tasks that wait while connecting fails and no connection is open. true: the pool tries again after a pause, and
  // they wait for it. false: they fail at once.
  bool wait_for_server = false;
  std::chrono::nanoseconds acquire_timeout{0};  // maximum wait for a lease
  std::chrono::nanoseconds backoff_min{0};      // first wait between two attempts to connect; it doubles ..
  std::chrono::nanoseconds backoff_max{0};      // .. up to this one
};

// A snapshot of a pool.
struct ConnectionPoolState {
  std::size_t connections = 0;  // open connections
  std::size_t in_use = 0;       // open connections with a lease
  std::size_t connecting = 0;   // connections that are being opened
  std::size_t exclusive = 0;    // connections with an exclusive lease
  std::size_t shared = 0;       // leases on the other connections
  std::size_t waiting = 0;      // tasks that wait for a lease
};

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
 public:
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // Waits for a lease. Calls fail() if too many tasks wait, if the wait takes longer than acquire_timeout, or if no
  // connection is left and none can be opened.
  [[nodiscard]] Task<Lease> acquire(Demand demand);

  // Closes idle connections now, and the others when their leases end. Called when the last handle of the pool is
  // destroyed.
  void close() noexcept;
  [[nodiscard]] ConnectionPoolState snapshot() const;

 protected:
  // `name`: of the server, for log lines; empty if it is unknown until a connection is open.
  ConnectionPool(ConnectionPoolOptions options, Peer peer, std::string name);
  virtual ~ConnectionPool() = default;

  // Reports the figures of the pool (PoolStatistics::report).
  void report(const PoolReport& to, std::string_view connections_help, std::string_view failures_help) const;

  // An open connection, and the name of what it leads to, for log lines.
  struct Opened {
    std::shared_ptr<PooledConnection> connection;
    std::string name;
  };

 private:
  friend class Lease;

  // Opens a connection. Cancellation must close the unfinished connection. Throws why there is none.
  [[nodiscard]] virtual Task<Opened> open() = 0;
  // Returns whether further attempts will fail with this error of open() as well, such as a refused password.
  [[nodiscard]] virtual bool is_final(const std::exception& error) const noexcept = 0;
  // Throws the exception for tasks that get no connection.
  [[noreturn]] virtual void fail(const std::string& why) const = 0;

  struct Waiter {
    Demand demand;
    OneshotSender<Lease> sender;                // closed() if the task no longer waits
    std::optional<Lease> lease = std::nullopt;  // set when the waiter leaves the queue; none: the task is refused
  };
  // Lists, because waiters leave the queue in destructors, too, which must not allocate.
  using Waiters = std::list<Waiter>;

  struct Slot {
    std::shared_ptr<PooledConnection> connection = nullptr;
    bool connecting = false;
    bool exclusive = false;         // has an exclusive lease
    bool closed_to_others = false;  // no further leases until the last one has ended
    std::size_t leases = 0;
    std::size_t bytes = 0;  // sum of their demands
  };

  // The task of a connection: opens the connection, puts it into slot `index`, and serves it until it ends.
  static Task<> run(std::shared_ptr<ConnectionPool> pool, std::size_t index);
  static void hand_out(Waiters& leaving) noexcept;

  [[nodiscard]] std::optional<Lease> try_acquire(Demand demand);
  [[nodiscard]] OneshotReceiver<Lease> wait_in_line(Demand demand);
  [[nodiscard]] std::optional<Lease> take_locked(Demand demand);
  [[nodiscard]] bool has_room_locked(const Slot& slot, Demand demand) const noexcept;
  [[nodiscard]] std::size_t first_slot() const noexcept;
  void open_another_locked();
  void serve_locked(Waiters& leaving);
  void drop_closed_waiters_locked();
  void refuse_all_locked(Waiters& leaving) noexcept;
  [[nodiscard]] bool hopeless_locked() const noexcept;
  [[nodiscard]] bool has_connection_locked() const noexcept;
  [[nodiscard]] Slot* slot_of_locked(const PooledConnection* connection) noexcept;
  [[nodiscard]] std::string why_none() const;
  [[nodiscard]] std::string why_refused() const;

  [[nodiscard]] std::chrono::nanoseconds pause() const;
  void connected(std::size_t index, const Opened& opened);
  // Returns whether to try again.
  [[nodiscard]] bool failed(std::size_t index, const std::string& reason, bool final);
  void stopped(std::size_t index) noexcept;
  [[nodiscard]] bool retire(std::size_t index);
  void ended(std::size_t index) noexcept;
  void leases_sent() noexcept;
  void give_back(const PooledConnection* connection, Demand demand) noexcept;
  void close_to_others(const PooledConnection* connection);

  const ConnectionPoolOptions limits_;
  PoolStatistics statistics_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  Waiters waiting_;
  // false: no task waits for an exclusive lease. It may stay true after the last such task has left the queue.
  base::Atomic<bool> exclusive_waits_{false};
  std::string last_failure_;
  Reachability reachability_;
  std::chrono::nanoseconds backoff_{0};   // wait after a failed attempt to connect; 0: the last attempt succeeded
  std::chrono::nanoseconds retry_at_{0};  // no attempt before this time
  std::size_t connecting_ = 0;
  bool closed_ = false;
};

// Returns a handle to the pool. When its last copy is destroyed, the pool is closed. Leases keep the pool, but not the
// handle.
template <class Pool>
[[nodiscard]] std::shared_ptr<Pool> closing_handle(std::shared_ptr<Pool> pool) {
  Pool* const shared = pool.get();
  return std::shared_ptr<Pool>(shared, [pool = std::move(pool)](Pool*) { pool->close(); });
}

}  // namespace volt::database
