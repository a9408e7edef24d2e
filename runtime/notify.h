// Notify: tells waiting tasks that something has happened, without saying what.
//
//   co_await changed.notified();      // one task
//   changed.notify_one();             // another, or any thread
//
// notify_one() wakes the task that has waited longest. If none waits it is remembered, once: the next notified() is over
// at once, so a task that looks, finds nothing and then waits misses nothing. notify_all() wakes all who wait by then,
// and is not remembered.
//
// Threads: any. Fairness: first come, first woken. Cancellation: a task that is cancelled after it was picked by
// notify_one() passes that on to the next. Memory: 24 bytes; waiting allocates nothing.
// Lifetime: outlives its waiters.
#pragma once

#include <mutex>
#include <utility>

#include "runtime/cancel.h"
#include "runtime/sync/release_all.h"
#include "runtime/sync/wait_queue.h"

namespace volt {

class Notify {
 public:
  class Notified final : public sync::Operation<Notified> {
   public:
    explicit Notified(Notify& notify) noexcept : Operation(notify.lock_, WaitsFor::notification), notify_(notify) {}

    void await_resume() {
      throw_if_cancelled();
      if (!picked_ || !cancelled_meanwhile()) return;
      notify_.notify_one();
      throw Cancelled{};
    }

   private:
    friend class Notify;
    friend class sync::Operation<Notified>;

    [[nodiscard]] bool ready_locked() const noexcept { return notify_.remembered_; }
    void take_locked(sync::Woken&) noexcept { notify_.remembered_ = false; }
    void queue_locked() noexcept { notify_.waiting_.push_back(*this); }

    Notify& notify_;
    bool picked_ = false;  // by notify_one()
  };

  Notify() = default;
  Notify(const Notify&) = delete;
  Notify& operator=(const Notify&) = delete;

  [[nodiscard]] Notified notified() noexcept { return Notified(*this); }
  // Whether a notification was remembered: then it is no longer.
  [[nodiscard]] bool try_notified() noexcept {
    const std::scoped_lock lock(lock_);
    return std::exchange(remembered_, false);
  }

  void notify_one() noexcept {
    Notified* waiter = nullptr;
    {
      const std::scoped_lock lock(lock_);
      waiter = sync::take_first(waiting_);
      if (waiter == nullptr) remembered_ = true;
      if (waiter != nullptr) waiter->picked_ = true;
    }
    if (waiter != nullptr) sched::wake(*waiter->task);
  }

  void notify_all() noexcept {
    sync::release_all(lock_, waiting_, [] {});
  }

 private:
  base::SpinLock lock_;
  bool remembered_ = false;
  base::List<Notified> waiting_;
};

}  // namespace volt
