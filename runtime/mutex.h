// SPDX-License-Identifier: MIT

// Mutex: mutual exclusion between tasks, which may hold the lock across awaits. If no await happens under the lock, a
// std::mutex is sufficient and costs less.
//
//   const Mutex::Guard guard = co_await mutex.lock();   // held until the guard is destroyed
//
// Threads: lock() is awaited in tasks; try_lock() and the destructor of a guard may run on any thread.
// Fairness: a task that arrives while the lock is free gets it, even if another task was woken for it a moment before.
// A task that lost the lock in this way once becomes the first in the queue, and the next release hands the lock to it.
// So no task starves, and two tasks that contend do not pay a task switch for every lock. Waiters are woken in order of
// arrival.
// Cancellation: a cancelled task leaves the queue; a lock that was handed to it just before passes to the next waiter.
// Memory: 24 bytes; waiting allocates nothing. Lifetime: the mutex must outlive its guards and waiters.
//
// Invariant, whenever the spin lock is free: if the mutex is free and the queue is not empty, `notified_` is true. One
// waiter was then woken to take the mutex, and has not rechecked yet.
//
// Rejected: handing the lock over at every release. Until the next owner runs, no task can use the lock, so after the
// first contention every lock costs a task switch, and a wake-up if the next owner is on another worker.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/cancel.h"
#include "runtime/sync/wait_queue.h"

namespace volt {

class Mutex {
 public:
  // Holds the lock until it is destroyed.
  class [[nodiscard]] Guard {
   public:
    Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
    Guard& operator=(Guard&& other) noexcept {
      std::swap(mutex_, other.mutex_);
      return *this;
    }
    ~Guard() {
      if (mutex_ != nullptr) mutex_->unlock();
    }

   private:
    friend class Mutex;
    explicit Guard(Mutex& mutex) noexcept : mutex_(&mutex) {}
    Mutex* mutex_;
  };

  class Locking final : public sync::Operation<Locking> {
   public:
    explicit Locking(Mutex& mutex) noexcept : Operation(mutex.lock_, WaitsFor::lock), mutex_(mutex) {}

    [[nodiscard]] bool recheck() noexcept override { return mutex_.recheck(*this); }

    Guard await_resume() {
      throw_if_cancelled();
      Guard guard(mutex_);
      if (cancelled_meanwhile()) throw Cancelled{};  // the guard's destructor passes the lock on
      return guard;
    }

   private:
    friend class Mutex;
    friend class sync::Operation<Locking>;

    [[nodiscard]] bool ready_locked() const noexcept { return !mutex_.held_; }
    void take_locked(sync::Woken&) noexcept { mutex_.held_ = true; }
    void queue_locked() noexcept {
      if (!is_branch()) task->rechecks_wait = true;
      mutex_.waiting_.push_back(*this);
    }

    Mutex& mutex_;
    bool notified_ = false;
    bool overtaken_ = false;  // was notified, but another task took the lock first
    bool handed_ = false;     // holds the lock
  };

  Mutex() = default;
  ~Mutex() {
    VOLT_REQUIRE(waiting_.empty(),
                 "a Mutex was destroyed while a task waits in it: keep it until its tasks have ended, for example in a "
                 "std::shared_ptr that each of them holds");
    VOLT_REQUIRE(!held_, "a Mutex was destroyed while a task holds it: destroy its Guard first");
  }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  [[nodiscard]] Locking lock() noexcept { return Locking(*this); }

  [[nodiscard]] std::optional<Guard> try_lock() noexcept {
    const std::scoped_lock lock(lock_);
    if (std::exchange(held_, true)) return std::nullopt;
    return Guard(*this);
  }

 private:
  void unlock() noexcept {
    lock_.lock();
    held_ = false;
    if (!waiting_.empty()) return pass_on();
    lock_.unlock();
  }
  // Called when the mutex is free, with the spin lock held, which it unlocks.
  void pass_on() noexcept;

  // Called when the mutex is free; returns the waiter to wake, or null.
  [[nodiscard]] Locking* pass_on_locked() noexcept;

  // Called when the task of `locking` runs after a wake-up or a yield. Returns false if the task has to wait (again).
  [[nodiscard]] bool recheck(Locking& locking) noexcept;

  base::SpinLock lock_;
  bool held_ = false;
  bool notified_ = false;  // a waiter was notified and has not rechecked yet
  base::List<Locking> waiting_;
};

static_assert(sizeof(Mutex) == 24);

}  // namespace volt
