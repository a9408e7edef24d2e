// Semaphore: a number of permits, which tasks acquire and release.
//
//   Semaphore uploads(8);
//   const Semaphore::Permits permits = co_await uploads.acquire();   // one; acquire(3) for three at once
//
// Threads: acquire() is awaited in tasks; try_acquire(), release() and the destructor of Permits may run on any thread.
// Fairness: first come, first served, whatever the number of permits: no task overtakes a waiter that needs more
// permits, so that the waiter does not starve. An acquire() of more permits than will ever exist waits until it is
// cancelled.
// Cancellation: a cancelled wait leaves the queue, and the waiters after it are served; permits that were granted just
// before are released.
// Memory: 32 bytes; waiting allocates nothing. Lifetime: the semaphore must outlive its permits and waiters.
//
// Invariant, whenever the spin lock is free: a task waits  =>  there are fewer permits than the first waiter needs, or
// the first waiter is a branch of a finished select().
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/cancel.h"
#include "runtime/sync/release_all.h"
#include "runtime/sync/wait_queue.h"

namespace volt {

class Semaphore {
 public:
  // Acquired permits, released when this object is destroyed.
  class [[nodiscard]] Permits {
   public:
    Permits(Permits&& other) noexcept : semaphore_(other.semaphore_), count_(std::exchange(other.count_, 0)) {}
    Permits& operator=(Permits&& other) noexcept {
      std::swap(semaphore_, other.semaphore_);
      std::swap(count_, other.count_);
      return *this;
    }
    ~Permits() {
      if (count_ != 0) semaphore_->release(count_);
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    // Gives up the permits without releasing them; a later release() of the same number returns them to the semaphore.
    void forget() noexcept { count_ = 0; }

   private:
    friend class Semaphore;
    Permits(Semaphore& semaphore, std::size_t count) noexcept : semaphore_(&semaphore), count_(count) {}
    Semaphore* semaphore_;
    std::size_t count_;
  };

  class Acquiring final : public sync::Operation<Acquiring> {
   public:
    Acquiring(Semaphore& semaphore, std::size_t count) noexcept
        : Operation(semaphore.lock_, WaitsFor::permits), semaphore_(semaphore), count_(count) {}

    Permits await_resume() {
      throw_if_cancelled();
      Permits permits(semaphore_, count_);
      if (cancelled_meanwhile()) throw Cancelled{};  // the destructor of `permits` releases them
      return permits;
    }

   private:
    friend class Semaphore;
    friend class sync::Operation<Acquiring>;

    [[nodiscard]] bool try_first() noexcept { return take(); }
    [[nodiscard]] bool ready_locked() noexcept { return semaphore_.available_locked(count_); }
    void take_locked(sync::Woken&) noexcept { semaphore_.permits_ -= count_; }
    void queue_locked() noexcept { semaphore_.waiting_.push_back(*this); }
    void left() noexcept { semaphore_.release(0); }  // the next waiter may need fewer permits

    Semaphore& semaphore_;
    const std::size_t count_;
  };

  explicit Semaphore(std::size_t permits) noexcept : permits_(permits) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  [[nodiscard]] Acquiring acquire(std::size_t count = 1) noexcept { return Acquiring(*this, count); }

  [[nodiscard]] std::optional<Permits> try_acquire(std::size_t count = 1) noexcept {
    const std::scoped_lock lock(lock_);
    if (!available_locked(count)) return std::nullopt;
    permits_ -= count;
    return Permits(*this, count);
  }

  // Adds permits: returns forgotten ones or creates new ones. Any thread may call it.
  void release(std::size_t count = 1) noexcept {
    for (bool more = true; more; count = 0) {
      sync::Woken woken;
      {
        const std::scoped_lock lock(lock_);
        permits_ += count;
        while (woken.size() != sync::kReleasedAtOnce && !waiting_.empty() && waiting_.front()->count_ <= permits_) {
          Acquiring& first = *waiting_.pop_front();
          if (!first.claim()) continue;
          permits_ -= first.count_;
          woken.push_back(&first);
        }
        more = woken.size() == sync::kReleasedAtOnce;
      }
      sync::wake_all(woken);
    }
  }

  // Returns the number of permits that are free at the moment.
  [[nodiscard]] std::size_t available() noexcept {
    const std::scoped_lock lock(lock_);
    return permits_;
  }

 private:
  [[nodiscard]] bool available_locked(std::size_t count) const noexcept {
    return permits_ >= count && waiting_.empty();
  }

  base::SpinLock lock_;
  std::size_t permits_;
  base::List<Acquiring> waiting_;
};

static_assert(sizeof(Semaphore) == 32);

}  // namespace volt
