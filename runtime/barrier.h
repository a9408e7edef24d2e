// SPDX-License-Identifier: MIT

// Barrier: a meeting point for a fixed number of tasks. When all of them have arrived, all continue and the next round
// begins.
//
//   Barrier step(4);
//   const bool leader = co_await step.arrive();   // true for one of the four, the one that came last
//
// Threads: arrive() is awaited in tasks; try_arrive() may be called from any thread.
// Fairness: a completed round wakes all of its tasks at once.
// Cancellation: an arrival that is cancelled while it waits does not count; the round then waits for one more arrival.
// An arrival cannot be a branch of a select(), because it counts while it waits.
// Memory: 32 bytes; waiting allocates nothing. Lifetime: the barrier must outlive its waiters.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/sync/release_all.h"
#include "runtime/sync/wait_queue.h"

namespace volt {

class Barrier {
 public:
  class Arriving final : public sync::Operation<Arriving> {
   public:
    explicit Arriving(Barrier& barrier) noexcept : Operation(barrier.lock_, WaitsFor::barrier), barrier_(barrier) {}

    // Deleted: an arrival counts while it waits, so it cannot be a branch of a select(). A branch that loses must have
    // had no effect.
    bool start_branch() = delete;

    // Returns true if this arrival completed the round.
    [[nodiscard]] bool await_resume() const {
      throw_if_cancelled();
      return leads_;
    }

   private:
    friend class Barrier;
    friend class sync::Operation<Arriving>;

    [[nodiscard]] bool ready_locked() const noexcept { return barrier_.last_is_missing_locked(); }
    void take_locked(sync::Woken&) noexcept {
      leads_ = true;
      barrier_.complete_locked(others_);
    }
    void taken() noexcept {
      sync::release_all(barrier_.lock_, others_, [] {});
    }
    void queue_locked() noexcept {
      round_ = barrier_.round_;
      ++barrier_.arrived_;
      barrier_.waiting_.push_back(*this);
    }
    void left_locked() noexcept {
      if (round_ == barrier_.round_) --barrier_.arrived_;
    }

    Barrier& barrier_;
    std::uint32_t round_ = 0;
    bool leads_ = false;
    base::List<Arriving> others_;  // the waiters of the round that this arrival completed, until they are woken
  };

  // Creates a barrier for `count` tasks; `count` must be at least 1.
  explicit Barrier(std::uint32_t count) noexcept : count_(count) {
    VOLT_REQUIRE(count != 0, "a Barrier for 0 tasks was created: the count must be at least 1");
  }
  ~Barrier() {
    VOLT_REQUIRE(
        waiting_.empty(),
        "a Barrier was destroyed while a task waits in it: keep it until its tasks have ended, for example in a "
        "std::shared_ptr that each of them holds");
  }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  [[nodiscard]] Arriving arrive() noexcept { return Arriving(*this); }

  // Arrives and returns true if this arrival completes the round. Returns false otherwise; then the arrival does not
  // count.
  [[nodiscard]] bool try_arrive() noexcept {
    base::List<Arriving> others;
    {
      const std::scoped_lock lock(lock_);
      if (!last_is_missing_locked()) return false;
      complete_locked(others);
    }
    sync::release_all(lock_, others, [] {});
    return true;
  }

 private:
  [[nodiscard]] bool last_is_missing_locked() const noexcept { return arrived_ + 1 == count_; }
  void complete_locked(base::List<Arriving>& others) noexcept {
    others.splice_back(waiting_);
    arrived_ = 0;
    ++round_;
  }

  base::SpinLock lock_;
  const std::uint32_t count_;
  std::uint32_t arrived_ = 0;
  std::uint32_t round_ = 0;
  base::List<Arriving> waiting_;
};

static_assert(sizeof(Barrier) == 32);

}  // namespace volt
