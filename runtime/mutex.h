// Mutex: one task at a time, also across its awaits. Without an await in between, a std::mutex does, and costs less.
//
//   const Mutex::Guard guard = co_await mutex.lock();   // until the guard goes
//
// Threads: lock() is awaited in tasks; try_lock() and the end of a guard on any thread.
// Fairness: the lock is handed to the task that has waited longest, so nobody starves, and nobody gets it by being there
// first when it is released. That costs a task switch per hand-over when it is contended.
// Cancellation: a wait that is cancelled leaves the queue; one to which the lock was handed just before passes it on.
// Memory: 24 bytes; waiting allocates nothing. Lifetime: outlives its guards and waiters.
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

  class Locking final : public sync::Waiter {
   public:
    explicit Locking(Mutex& mutex) noexcept : Waiter(mutex.lock_, WaitsFor::lock), mutex_(mutex) {}

    [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept {
      return suspend_unless(frame, mutex_.waiting_, *this, [this](sync::Woken&) { return mutex_.take_locked(); });
    }
    Guard await_resume() {
      throw_if_cancelled();
      Guard guard(mutex_);
      if (cancelled_meanwhile()) throw Cancelled{};  // and the guard passes it on
      return guard;
    }

   private:
    Mutex& mutex_;
  };

  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  [[nodiscard]] Locking lock() noexcept { return Locking(*this); }

  [[nodiscard]] std::optional<Guard> try_lock() noexcept {
    const std::scoped_lock lock(lock_);
    if (!take_locked()) return std::nullopt;
    return Guard(*this);
  }

 private:
  [[nodiscard]] bool take_locked() noexcept { return !std::exchange(held_, true); }

  void unlock() noexcept {
    Locking* next = nullptr;
    {
      const std::scoped_lock lock(lock_);
      next = waiting_.pop_front();
      if (next == nullptr) held_ = false;
    }
    if (next != nullptr) sched::wake(*next->task);
  }

  base::SpinLock lock_;
  bool held_ = false;
  base::List<Locking> waiting_;
};

}  // namespace volt
