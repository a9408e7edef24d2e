// SPDX-License-Identifier: MIT

// Notify: wakes waiting tasks when something has happened; carries no data.
//
//   co_await changed.notified();      // one task
//   changed.notify_one();             // another, or any thread
//
// notify_one() wakes the task that has waited longest. If no task waits, one notification is remembered: the next
// notified() returns at once, so a task that checks a condition, finds it false and then waits cannot miss a
// notification. notify_all() wakes all tasks that wait at that moment and is not remembered.
//
// Threads: any. Fairness: tasks are woken in order of arrival. Cancellation: a task that is cancelled after
// notify_one() picked it passes the notification to the next waiter. Memory: 24 bytes; waiting allocates nothing.
// Lifetime: must outlive its waiters.
#pragma once

#include <mutex>
#include <utility>

#include "runtime/base/check.h"
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

    Notify& notify_;  // picked_: chosen by notify_one()
  };

  Notify() = default;
  ~Notify() {
    VOLT_REQUIRE(
        waiting_.empty(),
        "a Notify was destroyed while a task waits in it: keep it until its tasks have ended, for example in a "
        "std::shared_ptr that each of them holds");
  }
  Notify(const Notify&) = delete;
  Notify& operator=(const Notify&) = delete;

  [[nodiscard]] Notified notified() noexcept { return Notified(*this); }
  // Consumes a remembered notification; returns true if there was one. Never waits.
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
