// ConnectionPool: the connections of a pool, who is on which, and who waits.
//
// A task gets a place on a connection: a shared one for a query, or the whole for a transaction, behind what is under way
// there. Whoever finds no place waits in one queue, first come, first served. Each that comes or waits may have a
// connection opened, in a task of its own, which then stays with the connection until it ends.
//
// Threads: any; one lock, held for a walk over the pool. Lifetime: shared by the pool, leases and the connections' tasks.
#pragma once

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
#include "pg/options.h"
#include "pg/pool.h"
#include "runtime/oneshot.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
 public:
  explicit ConnectionPool(PoolOptions options) : options_(std::move(options)), slots_(options_.connections_max) {}

  // A place; throws Unavailable if there will be none soon.
  [[nodiscard]] Task<Lease> acquire(Share share);
  // One that is free now.
  [[nodiscard]] std::optional<Lease> try_acquire(Share share);

  // The pool has gone: idle connections are closed now, the others when they are free.
  void close();
  [[nodiscard]] PoolState state() const;
  [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }

 private:
  friend class Lease;

  using Granted = std::variant<Lease, std::exception_ptr>;
  struct Waiter {
    Share share;
    OneshotSender<Granted> sender;
  };
  struct Grant {
    OneshotSender<Granted> sender;
    Granted granted;
  };
  using Grants = std::vector<Grant>;

  struct Slot {
    std::shared_ptr<Connection> connection;
    bool connecting = false;
    bool exclusive = false;         // a transaction has it
    bool closed_to_others = false;  // until its users have gone
    std::size_t users = 0;
  };

  // The task of a slot's connection.
  static Task<> run(std::shared_ptr<ConnectionPool> pool, std::size_t index);

  [[nodiscard]] std::optional<Lease> take_locked(Share share);
  [[nodiscard]] std::size_t first_slot() const noexcept;
  void open_another_locked();
  void serve_locked(Grants& grants);
  void refuse_all_locked(Grants& grants);
  [[nodiscard]] std::exception_ptr why_unavailable_locked() const;
  [[nodiscard]] bool hopeless_locked() const noexcept;
  [[nodiscard]] Slot* slot_of_locked(const Connection* connection) noexcept;

  [[nodiscard]] OneshotReceiver<Granted> wait_in_line(Share share);
  void connected(std::size_t index, std::shared_ptr<Connection> connection);
  void failed(std::size_t index, std::string reason);
  [[nodiscard]] bool retire(std::size_t index);
  void ended(std::size_t index);
  void give_back(const std::shared_ptr<Connection>& connection, Share share);
  void close_to_others(const Connection& connection);

  const PoolOptions options_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::deque<Waiter> waiting_;
  std::string last_failure_;
  std::chrono::nanoseconds backoff_{0};   // before the next attempt after a failure; 0: the last one succeeded
  std::chrono::nanoseconds retry_at_{0};  // none before
  std::size_t connecting_ = 0;
  bool closed_ = false;
};

}  // namespace volt::pg::internal
