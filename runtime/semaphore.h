// SPDX-License-Identifier: MIT

// Semaphore: a number of permits, which limits how many tasks do something at a time. Tasks acquire permits, wait while
// there are too few, and release them.
//
//   Semaphore uploads(8);
//   const auto permit = co_await uploads.acquire();   // one permit; acquire(3) for three at once
//   ...                                               // released at the end of the scope
//
// A bound on the queue and on the wait lets an overloaded service refuse work that it cannot do in time:
//
//   Semaphore queries(16, {.waiting_max = 64});
//   const Result<Semaphore::Permit> permit = co_await queries.acquire_within(500ms);
//   if (!permit) co_return unavailable("too many queries");
//
// Threads: acquire() and acquire_within() are awaited in tasks. The other functions, and the destructor of a Permit,
// may run on any thread.
// Fairness: first come, first served, whatever number of permits each task wants. A task that waits for many permits is
// overtaken neither by tasks that want few nor by try_acquire(), so it does not starve.
// Cancellation: a cancelled task leaves the queue, and the waiters after it may continue. If permits were granted to
// the task just before the cancel, they go to the next waiter. An acquire() of more permits than will ever be free
// waits until it is cancelled.
// Errors: acquire() and acquire_within() return operation_would_block if the queue is full, and operation_canceled if
// the semaphore is closed. acquire_within() also returns timed_out. acquire() cannot fail if `waiting_max` is not set
// and the semaphore is never closed.
// Memory: 40 bytes; waiting allocates nothing.
// Lifetime: must outlive its permits and waiters. A Permit may be moved to other tasks and threads.
//
// Invariant, whenever the spin lock is free and no release() or close() is in progress:
//   a task waits  =>  the semaphore is open, and either fewer permits are free than the first waiter wants,
//                     or the first waiter is a branch of a select() that has ended
//
// Rejected: a time limit for every acquire(). It would need a timer in each waiter, and select() already has one:
// acquire_within() is a select() of acquire() and sleep_for(), and reads the clock only if it has to wait.
// Rejected: an atomic count beside the lock, so that try_acquire() takes no lock. A release has to add permits and
// check the queue in one step, so the count and the queue would have to fit into one word.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/cancel.h"
#include "runtime/result.h"
#include "runtime/select.h"
#include "runtime/sync/release_all.h"
#include "runtime/sync/wait_queue.h"
#include "runtime/time.h"

namespace volt {

struct SemaphoreOptions {
  std::uint32_t waiting_max = std::numeric_limits<std::uint32_t>::max();  // maximum number of waiting tasks
};

class Semaphore {
 public:
  // The largest number of permits; with so many, no task ever waits.
  static constexpr std::size_t kPermitsMax = std::numeric_limits<std::int64_t>::max() / 2;

  class Acquiring;
  class AcquiringWithin;

  // Holds acquired permits, and releases them when it is destroyed.
  class [[nodiscard]] Permit {
   public:
    // Holds no permits.
    Permit() = default;
    Permit(Permit&& other) noexcept : semaphore_(other.semaphore_), count_(std::exchange(other.count_, 0)) {}
    // Exchanges the permits: `other` then holds, and later releases, the previous permits of this object.
    Permit& operator=(Permit&& other) noexcept {
      std::swap(semaphore_, other.semaphore_);
      std::swap(count_, other.count_);
      return *this;
    }
    ~Permit() {
      if (count_ != 0) semaphore_->release(count_);
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    // Gives up the permits without releasing them. The caller may release them later with Semaphore::release().
    void forget() noexcept { count_ = 0; }

   private:
    friend class Semaphore;
    Permit(Semaphore& semaphore, std::size_t count) noexcept : semaphore_(&semaphore), count_(count) {}
    Semaphore* semaphore_ = nullptr;
    std::size_t count_ = 0;
  };

  explicit Semaphore(std::size_t permits, SemaphoreOptions options = {}) noexcept
      : waiting_max_(options.waiting_max), permits_(static_cast<std::int64_t>(std::min(permits, kPermitsMax))) {}
  ~Semaphore() {
    VOLT_REQUIRE(
        waiting_.empty(),
        "a Semaphore was destroyed while a task waits in it: keep it until its tasks have ended, for example in a "
        "std::shared_ptr that each of them holds");
  }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  // Awaited: waits until `count` permits are free, acquires all of them at once, and returns a Result<Permit>. May be a
  // branch of a select().
  [[nodiscard]] Acquiring acquire(std::size_t count = 1) noexcept;

  // Awaited: acquires `count` permits as acquire() does, but waits for at most `wait_max`.
  [[nodiscard]] AcquiringWithin acquire_within(std::chrono::nanoseconds wait_max, std::size_t count = 1) noexcept;

  // Acquires `count` permits if that needs no wait. Returns nullopt if too few are free, if other tasks wait, or if the
  // semaphore is closed.
  [[nodiscard]] std::optional<Permit> try_acquire(std::size_t count = 1) noexcept;

  // Acquires `count` permits even if too few are free or the semaphore is closed: for work that must not be refused,
  // but counts. The missing permits are a debt: no waiter gets a permit until releases have paid it.
  [[nodiscard]] Permit overdraw(std::size_t count = 1) noexcept;

  // Adds `count` permits: new ones, or those of a Permit after its forget().
  void release(std::size_t count = 1) noexcept;

  // Closes the semaphore: all waiting and all later acquires end with operation_canceled. Permits that were acquired
  // before stay valid. Further calls have no effect.
  void close() noexcept;

  // Returns the number of free permits; 0 while there is a debt.
  [[nodiscard]] std::size_t available() noexcept {
    const std::scoped_lock lock(lock_);
    return static_cast<std::size_t>(std::max<std::int64_t>(0, permits_));
  }
  // Returns the number of waiting tasks.
  [[nodiscard]] std::size_t waiting() noexcept {
    const std::scoped_lock lock(lock_);
    return waiting_count_;
  }

 private:
  [[nodiscard]] bool free_locked(std::size_t count) const noexcept {
    return !closed_ && waiting_.empty() && enough_locked(count);
  }
  [[nodiscard]] bool enough_locked(std::size_t count) const noexcept {
    return permits_ >= 0 && static_cast<std::size_t>(permits_) >= count;
  }
  [[nodiscard]] Acquiring& pop_first_locked() noexcept;
  // Gives free permits to the tasks that wait. Called with the spin lock held, which it unlocks.
  void serve_waiting() noexcept;

  base::SpinLock lock_;
  bool closed_ = false;
  std::uint32_t waiting_count_ = 0;
  const std::uint32_t waiting_max_;
  std::int64_t permits_;  // free permits; negative while there is a debt (overdraw())
  base::List<Acquiring> waiting_;
};

// The awaitable that acquire() returns.
class Semaphore::Acquiring final : public sync::Operation<Acquiring> {
 public:
  Acquiring(Semaphore& semaphore, std::size_t count) noexcept
      : Operation(semaphore.lock_, WaitsFor::permits), semaphore_(semaphore), count_(count) {}

  Result<Permit> await_resume() {
    throw_if_cancelled();
    if (outcome_ == Outcome::full) return error(std::errc::operation_would_block);
    if (outcome_ == Outcome::closed) return error(std::errc::operation_canceled);
    Permit permit(semaphore_, count_);
    if (cancelled_meanwhile()) throw Cancelled{};  // the permit's destructor releases the permits
    return permit;
  }

 private:
  friend class Semaphore;
  friend class AcquiringWithin;
  friend class sync::Operation<Acquiring>;

  enum class Outcome : std::uint8_t { granted, full, closed };

  [[nodiscard]] bool ready_locked() noexcept {
    return semaphore_.closed_ || semaphore_.free_locked(count_) || semaphore_.waiting_count_ >= semaphore_.waiting_max_;
  }
  void take_locked(sync::Woken&) noexcept {
    if (semaphore_.closed_) {
      outcome_ = Outcome::closed;
    } else if (semaphore_.free_locked(count_)) {
      semaphore_.permits_ -= static_cast<std::int64_t>(count_);
    } else {
      outcome_ = Outcome::full;
    }
  }
  void queue_locked() noexcept {
    semaphore_.waiting_.push_back(*this);
    ++semaphore_.waiting_count_;
  }
  void left_locked() noexcept { --semaphore_.waiting_count_; }
  void left() noexcept { semaphore_.release(0); }  // the next waiter may want fewer permits

  Semaphore& semaphore_;
  const std::size_t count_;
  Outcome outcome_ = Outcome::granted;
};

// The awaitable that acquire_within() returns. It acquires the permits at once if that needs no wait; otherwise it is a
// select() of acquire() and a timer.
class Semaphore::AcquiringWithin {
 public:
  AcquiringWithin(Semaphore& semaphore, std::size_t count, std::chrono::nanoseconds wait_max) noexcept
      : acquiring_(semaphore, count), wait_max_(wait_max) {}
  AcquiringWithin(const AcquiringWithin&) = delete;
  AcquiringWithin& operator=(const AcquiringWithin&) = delete;

  [[nodiscard]] bool await_ready() noexcept { return acquiring_.try_first(); }

  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept {
    end_of_wait_.emplace(sched::moment_after(sched::clock_ns(), wait_max_));
    waiting_.emplace(acquiring_, *end_of_wait_);
    return !waiting_->await_ready() && waiting_->await_suspend(point);
  }

  Result<Permit> await_resume() {
    if (!waiting_) return acquiring_.await_resume();
    auto first = waiting_->await_resume();
    if (first.index() == 1) return error(std::errc::timed_out);
    return std::get<0>(std::move(first));
  }

 private:
  struct EndOfWait final : sched::Sleep {
    using Sleep::Sleep;
  };

  Acquiring acquiring_;
  const std::chrono::nanoseconds wait_max_;
  std::optional<EndOfWait> end_of_wait_;
  std::optional<sched::Select<Acquiring, EndOfWait>> waiting_;
};

inline Semaphore::Acquiring Semaphore::acquire(std::size_t count) noexcept { return Acquiring(*this, count); }

inline Semaphore::AcquiringWithin Semaphore::acquire_within(std::chrono::nanoseconds wait_max,
                                                            std::size_t count) noexcept {
  return AcquiringWithin(*this, count, wait_max);
}

inline std::optional<Semaphore::Permit> Semaphore::try_acquire(std::size_t count) noexcept {
  const std::scoped_lock lock(lock_);
  if (!free_locked(count)) return std::nullopt;
  permits_ -= static_cast<std::int64_t>(count);
  return Permit(*this, count);
}

inline Semaphore::Permit Semaphore::overdraw(std::size_t count) noexcept {
  const std::scoped_lock lock(lock_);
  permits_ -= static_cast<std::int64_t>(count);
  return Permit(*this, count);
}

inline void Semaphore::release(std::size_t count) noexcept {
  lock_.lock();
  permits_ += static_cast<std::int64_t>(count);
  if (!waiting_.empty()) return serve_waiting();
  lock_.unlock();
}

[[gnu::noinline]] inline void Semaphore::serve_waiting() noexcept {
  for (bool more = true; more;) {
    sync::Woken woken;
    while (woken.size() != sync::kReleasedAtOnce && !waiting_.empty() && enough_locked(waiting_.front()->count_)) {
      Acquiring& first = pop_first_locked();
      if (!first.claim()) continue;
      permits_ -= static_cast<std::int64_t>(first.count_);
      woken.push_back(&first);
    }
    more = woken.size() == sync::kReleasedAtOnce;
    lock_.unlock();
    sync::wake_all(woken);
    if (more) lock_.lock();
  }
}

inline void Semaphore::close() noexcept {
  for (bool more = true; more;) {
    sync::Woken woken;
    {
      const std::scoped_lock lock(lock_);
      closed_ = true;
      while (woken.size() != sync::kReleasedAtOnce && !waiting_.empty()) {
        Acquiring& first = pop_first_locked();
        if (!first.claim()) continue;
        first.outcome_ = Acquiring::Outcome::closed;
        woken.push_back(&first);
      }
      more = !waiting_.empty();
    }
    sync::wake_all(woken);
  }
}

inline Semaphore::Acquiring& Semaphore::pop_first_locked() noexcept {
  --waiting_count_;
  return *waiting_.pop_front();
}

static_assert(sizeof(Semaphore) == 40);

}  // namespace volt
