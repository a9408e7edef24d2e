// SPDX-License-Identifier: MIT

// RwLock: a lock that many tasks may hold for reading at once, or one task for writing, also across their awaits.
//
//   const RwLock::ReadGuard guard = co_await lock.read();     // held until the guard is destroyed
//   const RwLock::WriteGuard guard = co_await lock.write();
//
// Threads: read() and write() are awaited in tasks; the try_ functions and the destructor of a guard may run on any
// thread.
// Fairness: a task that arrives while tasks of the other kind wait has to wait too. When a writer is done, all waiting
// readers enter together; when the last of them is done, the writer that has waited longest enters. So neither kind
// starves: a reader waits for at most one writer, a writer for the writers before it and one batch of readers after
// each.
// A task that holds a read lock must not wait for another read lock: a writer may have queued in between, and then both
// wait forever.
// Cancellation: a cancelled task leaves the queue, and tasks that waited only because of this task continue. If it was
// admitted just before, the lock is released again.
// Memory: 40 bytes; waiting allocates nothing. Lifetime: the lock must outlive its guards and waiters.
//
// Invariants, whenever the spin lock is free, for waiters that are not a branch of a finished select():
//   a reader waits  =>  a writer holds the lock, or a writer waits
//   a writer waits  =>  a writer or a reader holds the lock
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/cancel.h"
#include "runtime/sync/release_all.h"
#include "runtime/sync/wait_queue.h"

namespace volt {

class RwLock {
  template <void (RwLock::*leave)() noexcept>
  class BasicGuard {
   public:
    BasicGuard(BasicGuard&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
    BasicGuard& operator=(BasicGuard&& other) noexcept {
      std::swap(lock_, other.lock_);
      return *this;
    }
    ~BasicGuard() {
      if (lock_ != nullptr) (lock_->*leave)();
    }

   private:
    friend class RwLock;
    explicit BasicGuard(RwLock& lock) noexcept : lock_(&lock) {}
    RwLock* lock_;
  };

  void end_reading() noexcept;
  void end_writing() noexcept;

 public:
  // Guards that hold the lock until they are destroyed.
  using ReadGuard = BasicGuard<&RwLock::end_reading>;
  using WriteGuard = BasicGuard<&RwLock::end_writing>;

  class Reading final : public sync::Operation<Reading> {
   public:
    explicit Reading(RwLock& lock) noexcept : Operation(lock.lock_, WaitsFor::lock), rw_lock_(lock) {}

    [[nodiscard]] ReadGuard await_resume() {
      throw_if_cancelled();
      ReadGuard guard(rw_lock_);
      if (cancelled_meanwhile()) throw Cancelled{};  // the guard's destructor releases the lock
      return guard;
    }

   private:
    friend class sync::Operation<Reading>;

    [[nodiscard]] bool ready_locked() noexcept { return rw_lock_.readable_locked(); }
    void take_locked(sync::Woken&) noexcept { ++rw_lock_.readers_; }
    void queue_locked() noexcept { rw_lock_.waiting_readers_.push_back(*this); }

    RwLock& rw_lock_;
  };

  class Writing final : public sync::Operation<Writing> {
   public:
    explicit Writing(RwLock& lock) noexcept : Operation(lock.lock_, WaitsFor::lock), rw_lock_(lock) {}

    [[nodiscard]] WriteGuard await_resume() {
      throw_if_cancelled();
      WriteGuard guard(rw_lock_);
      if (cancelled_meanwhile()) throw Cancelled{};
      return guard;
    }

   private:
    friend class sync::Operation<Writing>;

    [[nodiscard]] bool ready_locked() noexcept { return rw_lock_.writable_locked(); }
    void take_locked(sync::Woken&) noexcept { rw_lock_.writing_ = true; }
    void queue_locked() noexcept { rw_lock_.waiting_writers_.push_back(*this); }
    void left() noexcept { rw_lock_.admit_readers(); }  // readers that waited only because of this writer

    RwLock& rw_lock_;
  };

  RwLock() = default;
  ~RwLock() {
    VOLT_REQUIRE(
        waiting_readers_.empty() && waiting_writers_.empty(),
        "an RwLock was destroyed while a task waits in it: keep it until its tasks have ended, for example in a "
        "std::shared_ptr that each of them holds");
    VOLT_REQUIRE(!writing_ && readers_ == 0, "an RwLock was destroyed while a task holds it: destroy its guards first");
  }
  RwLock(const RwLock&) = delete;
  RwLock& operator=(const RwLock&) = delete;

  [[nodiscard]] Reading read() noexcept { return Reading(*this); }
  [[nodiscard]] Writing write() noexcept { return Writing(*this); }

  [[nodiscard]] std::optional<ReadGuard> try_read() noexcept {
    const std::scoped_lock lock(lock_);
    if (!readable_locked()) return std::nullopt;
    ++readers_;
    return ReadGuard(*this);
  }
  [[nodiscard]] std::optional<WriteGuard> try_write() noexcept {
    const std::scoped_lock lock(lock_);
    if (!writable_locked()) return std::nullopt;
    writing_ = true;
    return WriteGuard(*this);
  }

 private:
  [[nodiscard]] bool readable_locked() const noexcept { return !writing_ && waiting_writers_.empty(); }
  [[nodiscard]] bool writable_locked() const noexcept { return !writing_ && readers_ == 0; }

  // Called when the lock is free and a queue is not empty. Called with the spin lock held; each of them unlocks it.
  void pass_on_from_readers() noexcept;
  void pass_on_from_writer() noexcept;
  // Admits all waiting readers, if no writer holds or awaits the lock any more.
  void admit_readers() noexcept;
  // Admits and wakes all waiting readers. The caller must have incremented `readers_` before, so that no writer enters
  // between two readers; this function undoes that increment at the end.
  void release_readers() noexcept;

  base::SpinLock lock_;
  bool writing_ = false;
  std::uint32_t readers_ = 0;
  base::List<Reading> waiting_readers_;
  base::List<Writing> waiting_writers_;
};

#ifndef VOLT_ATOMICS  // the atomics of a model checker have another size
static_assert(sizeof(RwLock) == 40);
#endif

inline void RwLock::end_reading() noexcept {
  lock_.lock();
  if (--readers_ == 0 && (!waiting_writers_.empty() || !waiting_readers_.empty())) return pass_on_from_readers();
  lock_.unlock();
}

[[gnu::noinline]] inline void RwLock::pass_on_from_readers() noexcept {
  Writing* const next = sync::take_first(waiting_writers_);
  writing_ = next != nullptr;
  const bool readers_wait = !waiting_readers_.empty();
  lock_.unlock();
  if (next != nullptr) {
    sched::wake(*next->task);
  } else if (readers_wait) {
    admit_readers();
  }
}

inline void RwLock::end_writing() noexcept {
  lock_.lock();
  writing_ = false;
  if (!waiting_writers_.empty() || !waiting_readers_.empty()) return pass_on_from_writer();
  lock_.unlock();
}

[[gnu::noinline]] inline void RwLock::pass_on_from_writer() noexcept {
  Writing* next = nullptr;
  const bool readers_wait = !waiting_readers_.empty();
  if (!readers_wait) next = sync::take_first(waiting_writers_);
  writing_ = next != nullptr;
  if (readers_wait) ++readers_;
  lock_.unlock();
  if (next != nullptr) {
    sched::wake(*next->task);
  } else if (readers_wait) {
    release_readers();
  }
}

inline void RwLock::admit_readers() noexcept {
  {
    const std::scoped_lock lock(lock_);
    if (!readable_locked() || waiting_readers_.empty()) return;
    ++readers_;
  }
  release_readers();
}

inline void RwLock::release_readers() noexcept {
  sync::release_all(lock_, waiting_readers_, [] {}, [this](Reading&) { ++readers_; });
  end_reading();
}

}  // namespace volt
