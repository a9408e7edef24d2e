// SPDX-License-Identifier: MIT

// SingleFlight: of the tasks that need one result at the same time, one makes it, and the others wait for it.
//
//   SingleFlight<std::string, Price> flights;
//   Result<SingleFlight<std::string, Price>::Turn> turn = co_await flights.join(item, 2s);
//   if (!turn) co_return fetch_alone();                 // the others took too long
//   if (const Price* price = turn->value()) co_return *price;
//   Price price = co_await fetch(item);                 // this task leads
//   turn->settle(price);                                // the waiting tasks get a copy
//
// A leader that fails, or is cancelled, destroys its turn without a result. The task that has waited longest then
// leads.
// Nothing is kept: a task that comes after settle() leads a flight of its own. volt::Cache (runtime/cache.h) adds that.
//
// Threads: join() is awaited in tasks; a Turn is used by one task. Cancellation: a cancelled task leaves the flight.
// Lifetime: must outlive its turns. Memory: one entry for each key with tasks; a waiting task allocates nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "runtime/result.h"
#include "runtime/semaphore.h"
#include "runtime/task.h"

namespace volt {

template <class Key, class Value>
class SingleFlight {
  struct Flight;

 public:
  // Must be destroyed before the SingleFlight.
  class [[nodiscard]] Turn {
   public:
    Turn(Turn&& other) noexcept
        : owner_(other.owner_), flight_(std::move(other.flight_)), leading_(std::move(other.leading_)) {
      other.leading_.reset();
    }
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      leading_.reset();  // the next task leads
      if (flight_ != nullptr) owner_->leave(*flight_);
    }

    // Returns the result that another task has made, valid as long as the turn; null if this task leads.
    [[nodiscard]] const Value* value() const noexcept { return leading_ ? nullptr : &*flight_->value; }

    // Ends the flight with its result; called by a leader, once. Before the flight ends, calls `keep()`, which stores
    // the result where later tasks find it; but not if the key was forgotten since the flight began, because the result
    // may then be out of date. `keep` runs under a lock: it must neither wait nor use the SingleFlight.
    template <class Keep>
    void settle(Value value, Keep keep) {
      owner_->settle(*flight_, std::move(value), keep);
    }
    void settle(Value value) {
      settle(std::move(value), [] {});
    }

   private:
    friend class SingleFlight;
    Turn(SingleFlight& owner, std::shared_ptr<Flight> flight) noexcept : owner_(&owner), flight_(std::move(flight)) {}

    SingleFlight* owner_;
    std::shared_ptr<Flight> flight_;
    std::optional<Semaphore::Permit> leading_;
  };

  // `waiting_max`: tasks that wait for one key; at least 1.
  explicit SingleFlight(std::uint32_t waiting_max = std::numeric_limits<std::uint32_t>::max())
      : waiting_max_(waiting_max) {}
  SingleFlight(const SingleFlight&) = delete;
  SingleFlight& operator=(const SingleFlight&) = delete;

  // Joins the key's flight, or begins one and leads it. Errors: timed_out after wait_max, operation_would_block if
  // waiting_max tasks wait already.
  [[nodiscard]] Task<Result<Turn>> join(Key key, std::chrono::nanoseconds wait_max) {
    Turn turn(*this, enter(std::move(key)));
    Result<Semaphore::Permit> leading = co_await turn.flight_->leading.acquire_within(wait_max);
    if (leading) {
      turn.leading_.emplace(std::move(*leading));
    } else if (leading.error() != std::errc::operation_canceled) {  // the flight is not settled
      co_return std::unexpected(leading.error());
    }
    co_return std::move(turn);
  }

  // Whether a task leads a flight of the key now.
  [[nodiscard]] bool in_flight(const Key& key) const {
    const std::scoped_lock lock(mutex_);
    return flights_.contains(key);
  }

  // The result of the key has changed: tasks that come from now on begin another flight.
  void forget(const Key& key) {
    const std::scoped_lock lock(mutex_);
    flights_.erase(key);
  }

 private:
  struct Flight {
    Flight(Key of, std::uint32_t waiting_max) : key(std::move(of)), leading(1, {.waiting_max = waiting_max}) {}

    const Key key;
    Semaphore leading;           // closed when the flight is settled, which wakes all tasks that wait
    std::optional<Value> value;  // written before `leading` is closed
    std::size_t turns = 0;       // guarded by mutex_
  };

  std::shared_ptr<Flight> enter(Key key) {
    const std::scoped_lock lock(mutex_);
    const auto known = flights_.find(key);
    // Made before it is inserted: if memory is short, no flight remains that no task leads.
    std::shared_ptr<Flight> flight =
        known != flights_.end() ? known->second : std::make_shared<Flight>(key, waiting_max_);
    if (known == flights_.end()) flights_.emplace(std::move(key), flight);
    ++flight->turns;
    return flight;
  }

  template <class Keep>
  void settle(Flight& flight, Value value, Keep& keep) {
    flight.value.emplace(std::move(value));
    {
      const std::scoped_lock lock(mutex_);
      const auto known = flights_.find(flight.key);
      if (known != flights_.end() && known->second.get() == &flight) {
        keep();
        flights_.erase(known);
      }
    }
    flight.leading.close();
  }

  void leave(Flight& flight) {
    const std::scoped_lock lock(mutex_);
    if (--flight.turns != 0) return;
    const auto known = flights_.find(flight.key);
    if (known != flights_.end() && known->second.get() == &flight) flights_.erase(known);
  }

  const std::uint32_t waiting_max_;
  mutable std::mutex mutex_;
  std::map<Key, std::shared_ptr<Flight>> flights_;
};

}  // namespace volt
