// SPDX-License-Identifier: MIT

// Database: the connections of a pool, and the leases on them. A semaphore for each role makes tasks wait; a task that
// has a permit finds a connection of that role that no other task uses.
//
// Rejected: one connection behind a mutex. It is the simplest, but a query that reads much would keep all others
// waiting, although WAL mode lets them run beside it.
// Rejected: writers that wait inside SQLite (sqlite3_busy_timeout) instead of for one connection. Each of them would
// block a thread, and SQLite's wait polls and is not fair.
//
// Threads: any; one lock, held while the slots are searched. Lifetime: shared by the pool and its leases.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/semaphore.h"
#include "runtime/task.h"
#include "sqlite/internal/connection.h"
#include "sqlite/internal/statistics.h"
#include "sqlite/options.h"
#include "sqlite/pool.h"

namespace volt::sqlite::internal {

class Lease;

class Database : public std::enable_shared_from_this<Database> {
 public:
  // Opens the connection that writes. Errors: Pool's constructor.
  explicit Database(PoolOptions options);

  // Waits for a connection. `pinned`: for a transaction. Throws Unavailable if too many tasks wait, or if the wait
  // takes longer than PoolOptions::acquire_timeout.
  [[nodiscard]] Task<Lease> acquire(Role role, bool pinned);

  [[nodiscard]] PoolState state() noexcept;
  [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }
  [[nodiscard]] Statistics& statistics() noexcept { return statistics_; }

 private:
  friend class Lease;

  struct Slot {
    Role role = Role::reader;
    CallLimits limits;
    std::unique_ptr<Connection> connection = nullptr;  // used by the task that has the lease; null: not open
    bool in_use = false;                               // leased
    bool pinned = false;                               // leased to a transaction
    bool is_open = false;                              // at the end of the last lease
  };

  [[nodiscard]] Slot& take(Role role, bool pinned) noexcept;
  void give_back(Slot& slot) noexcept;

  const PoolOptions options_;
  Statistics statistics_;
  Semaphore writer_;
  Semaphore readers_;
  std::mutex mutex_;
  std::vector<Slot> slots_;  // the writer, then the readers
};

// The right to use a connection, until it is destroyed.
class Lease {
 public:
  Lease(std::shared_ptr<Database> database, Database::Slot& slot, Semaphore::Permit permit) noexcept
      : database_(std::move(database)), permit_(std::move(permit)), slot_(&slot) {}
  Lease(Lease&& other) noexcept
      : database_(std::move(other.database_)),
        permit_(std::move(other.permit_)),
        slot_(std::exchange(other.slot_, nullptr)) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (slot_ != nullptr) database_->give_back(*slot_);
  }

  // Calls `work(connection)` on the blocking pool, for at most `timeout`; opens the connection if necessary. If the
  // task is cancelled, the query that runs is interrupted.
  template <class Work>
  [[nodiscard]] Task<std::invoke_result_t<Work&, Connection&>> call(Work work, std::chrono::nanoseconds timeout) const {
    slot_->limits.begin(timeout);
    auto run = [this, &work] { return work(connection()); };
    auto interrupt = [this]() noexcept { slot_->limits.interrupt(); };
    co_return co_await blocking(std::move(run), std::move(interrupt));
  }

  // Returns the connection if it is open, else null.
  [[nodiscard]] Connection* open_connection() const noexcept { return slot_->connection.get(); }
  [[nodiscard]] Database& database() const noexcept { return *database_; }

 private:
  // Returns the connection; opens it if necessary. Called on the blocking pool.
  [[nodiscard]] Connection& connection() const;

  std::shared_ptr<Database> database_;
  Semaphore::Permit permit_;
  Database::Slot* slot_;
};

}  // namespace volt::sqlite::internal
