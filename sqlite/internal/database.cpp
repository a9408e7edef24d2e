// SPDX-License-Identifier: MIT

#include "sqlite/internal/database.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "runtime/base/check.h"
#include "runtime/result.h"
#include "sqlite/error.h"

namespace volt::sqlite::internal {
namespace {

constexpr std::string_view kInMemory = ":memory:";

PoolOptions checked(PoolOptions options) {
  if (options.path.empty()) throw std::invalid_argument("the path of a SQLite database is empty");
  if (options.path == kInMemory) options.readers_max = 0;  // each connection would have a database of its own
  return options;
}

SemaphoreOptions queue_of(const PoolOptions& options) {
  constexpr std::size_t most = SemaphoreOptions().waiting_max;
  return {.waiting_max = static_cast<std::uint32_t>(std::min(options.waiting_max, most))};
}

}  // namespace

Database::Database(PoolOptions options)
    : options_(checked(std::move(options))),
      writer_(1, queue_of(options_)),
      readers_(options_.readers_max, queue_of(options_)),
      slots_(1 + options_.readers_max) {
  Slot& writer = slots_.front();
  writer.role = Role::writer;
  writer.limits.begin(options_.query_timeout);
  writer.connection = std::make_unique<Connection>(options_, Role::writer, writer.limits);
  writer.is_open = true;
}

Task<Lease> Database::acquire(Role role, bool pinned) {
  if (options_.readers_max == 0) role = Role::writer;
  Semaphore& permits = role == Role::writer ? writer_ : readers_;
  const auto began = std::chrono::steady_clock::now();
  Result<Semaphore::Permit> permit = co_await permits.acquire_within(options_.acquire_timeout);
  statistics_.record_wait(std::chrono::steady_clock::now() - began);
  if (!permit) {
    const bool timed_out = permit.error() == std::errc::timed_out;
    statistics_.count(timed_out ? Failure::acquire_timeout : Failure::queue_full);
    throw Unavailable(timed_out ? "no connection was free in time" : "too many tasks wait for a connection");
  }
  co_return Lease(shared_from_this(), take(role, pinned), *std::move(permit));
}

// Returns a connection that no other task uses; the caller has a permit, so there is one.
Database::Slot& Database::take(Role role, bool pinned) noexcept {
  const std::scoped_lock lock(mutex_);
  Slot* best = nullptr;
  for (Slot& slot : slots_) {
    if (slot.role != role || slot.in_use) continue;
    if (best == nullptr || (slot.is_open && !best->is_open)) best = &slot;
  }
  VOLT_CHECK(best != nullptr);
  best->in_use = true;
  best->pinned = pinned;
  return *best;
}

void Database::give_back(Slot& slot) noexcept {
  if (slot.connection != nullptr && slot.connection->broken() && options_.path != kInMemory) slot.connection.reset();
  const std::scoped_lock lock(mutex_);
  slot.is_open = slot.connection != nullptr;
  slot.in_use = false;
  slot.pinned = false;
}

PoolState Database::state() noexcept {
  PoolState state{.waiting = writer_.waiting() + readers_.waiting()};
  const std::scoped_lock lock(mutex_);
  for (const Slot& slot : slots_) {
    state.connections += slot.is_open || slot.in_use ? 1 : 0;
    state.in_use += slot.in_use ? 1 : 0;
    state.transactions += slot.pinned ? 1 : 0;
  }
  return state;
}

Connection& Lease::connection() const {
  if (slot_->connection == nullptr) {
    slot_->connection = std::make_unique<Connection>(database_->options(), slot_->role, slot_->limits);
  }
  return *slot_->connection;
}

}  // namespace volt::sqlite::internal
