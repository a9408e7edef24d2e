// Mutex: one task at a time, also across its awaits. Without an await in between, a std::mutex does, and costs less.
//
//   const Mutex::Guard guard = co_await mutex.lock();   // until the guard goes
//
// Threads: lock() is awaited in tasks; try_lock() and the end of a guard on any thread.
// Fairness: who comes while the lock is free gets it, though others may have been woken for it a moment before. A task
// that lost it in this way once is first in the queue and has it handed to it by the next release. So nobody starves,
// and two tasks that contend do not pay a task switch for every lock. Who waits is woken in the order of arrival.
// Cancellation: a wait that is cancelled leaves the queue; one to which the lock was handed just before passes it on.
// Memory: 24 bytes; waiting allocates nothing. Lifetime: outlives its guards and waiters.
//
// Invariant, whenever the spin lock is free: if the lock is free and somebody queues, somebody was notified: woken to
// come and take it, and has not looked yet.
//
// Rejected: handing the lock over at every release. Until the heir has its turn nobody can do anything, so that from the
// first contention on every lock costs a task switch, and if the heir is on another worker, a wake-up.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "runtime/cancel.h"
#include "runtime/sync/wait_queue.h"

namespace volt {

class Mutex {
 public:
  // Holds the lock as long as it lives.
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
      if (cancelled_meanwhile()) throw Cancelled{};  // and the guard passes it on
      return guard;
    }

   private:
    friend class Mutex;
    friend class sync::Operation<Locking>;

    [[nodiscard]] bool try_first() noexcept { return take(); }
    [[nodiscard]] bool ready_locked() const noexcept { return !mutex_.held_; }
    void take_locked(sync::Woken&) noexcept { mutex_.held_ = true; }
    void queue_locked() noexcept {
      if (!is_branch()) task->rechecks_wait = true;
      mutex_.waiting_.push_back(*this);
    }

    Mutex& mutex_;
    bool notified_ = false;
    bool overtaken_ = false;  // came when notified, and another was there first
    bool handed_ = false;     // holds the lock
  };

  Mutex() = default;
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
    Locking* next = nullptr;
    {
      const std::scoped_lock lock(lock_);
      held_ = false;
      next = pass_on_locked();
    }
    if (next != nullptr) sched::wake(*next->task);
  }

  // The lock is free: whom to wake for it. A branch of a select() cannot come for nothing, so it is handed the lock.
  [[nodiscard]] Locking* pass_on_locked() noexcept {
    while (Locking* first = waiting_.front()) {
      const bool hand_over = first->overtaken_ || first->is_branch();
      if (!hand_over && notified_) return nullptr;
      first->unlink();
      if (!first->claim()) continue;
      (hand_over ? held_ : notified_) = true;
      (hand_over ? first->handed_ : first->notified_) = true;
      return first;
    }
    return nullptr;
  }

  // `locking` has its turn, after it was woken or after it let others run. False: it waits (on).
  [[nodiscard]] bool recheck(Locking& locking) noexcept {
    Locking* next = nullptr;
    {
      const std::scoped_lock lock(lock_);
      if (locking.handed_) return true;
      const bool was_summoned = std::exchange(locking.notified_, false);
      if (was_summoned) notified_ = false;
      if (!locking.task->cancelled()) {
        if (!std::exchange(held_, true)) return true;
        locking.overtaken_ = was_summoned;
        locking.task->rechecks_wait = true;
        was_summoned ? waiting_.push_front(locking) : waiting_.push_back(locking);
        return false;
      }
      locking.set_cancelled();
      if (was_summoned && !held_) next = pass_on_locked();
    }
    if (next != nullptr) sched::wake(*next->task);
    return true;
  }

  base::SpinLock lock_;
  bool held_ = false;
  bool notified_ = false;  // somebody was
  base::List<Locking> waiting_;
};

static_assert(sizeof(Mutex) == 24);

}  // namespace volt
