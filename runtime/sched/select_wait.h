// SPDX-License-Identifier: MIT

// SelectWait: the wait of a task for the first of several events, exactly one of which the task receives. The base of
// select().
//
// Each event is waited for by a *branch*: a Suspension that queues where it would queue on its own, but belongs to the
// select. Before completing a branch, the completer must claim the select (Suspension::claim()). If the claim fails,
// another branch was served, and the completer passes its event on to the next waiter in the queue. So no value is ever
// consumed for a branch that lost.
//
// Threads: any thread may call claim(). The claimer found the branch in a queue and holds that queue's lock, so the
// select still exists.
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/sched/suspension.h"

namespace volt::sched {

class SelectWait : public Suspension {
 public:
  // Returns true for the first of all callers, and false for every other.
  [[nodiscard]] bool claim_for(const Suspension& branch) noexcept {
    const Suspension* none = nullptr;
    // relaxed: the exchange decides; the wake of the task publishes the result of the winning branch (TaskState)
    return winner_.compare_exchange_strong(none, &branch, base::relaxed, base::relaxed);
  }

 protected:
  ~SelectWait() = default;

  // Returns null until the select is decided; the select itself if it was cancelled.
  [[nodiscard]] const Suspension* winner() const noexcept {
    return winner_.load(base::relaxed);  // relaxed: as above
  }

 private:
  base::Atomic<const Suspension*> winner_{nullptr};
};

inline bool Suspension::claim() noexcept { return !branch_ || static_cast<SelectWait&>(*task->wait).claim_for(*this); }

}  // namespace volt::sched
