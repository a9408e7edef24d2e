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
#include "runtime/sync/wait_queue.h"

namespace volt {

class Notify {
 public:
  class Notified final : public sync::Waiter {
   public:
    explicit Notified(Notify& notify) noexcept : Waiter(notify.lock_, WaitsFor::notification), notify_(notify) {}

    [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept {
      return suspend_unless(frame, notify_.waiting_, *this,
                            [this](sync::Woken&) { return std::exchange(notify_.remembered_, false); });
    }
    void await_resume() {
      throw_if_cancelled();
      if (!picked_ || !cancelled_meanwhile()) return;
      notify_.notify_one();
      throw Cancelled{};
    }

   private:
    friend class Notify;
    Notify& notify_;
    bool picked_ = false;  // by notify_one()
  };

  Notify() = default;
  Notify(const Notify&) = delete;
  Notify& operator=(const Notify&) = delete;

  [[nodiscard]] Notified notified() noexcept { return Notified(*this); }

  void notify_one() noexcept {
    Notified* waiter = nullptr;
    {
      const std::scoped_lock lock(lock_);
      waiter = waiting_.pop_front();
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
