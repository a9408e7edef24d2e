// SelectWait: the wait of a task for the first of several things, of which exactly one may happen to it. What select() is
// made of.
//
// Each thing is a *branch*: a Suspension that queues where it would queue alone, but belongs to the choice. Whoever is
// about to give a branch something claims the choice first (Suspension::claim()); if that fails another branch was
// served, and the thing goes to the next in the queue. So no value is ever taken for a loser.
//
// Threads: claim() from any; a branch is in a queue, under whose lock its claimer found it, so the choice is still there.
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/sched/suspension.h"

namespace volt::sched {

class SelectWait : public Suspension {
 public:
  // True for the first of all callers, and for nobody else.
  [[nodiscard]] bool claim_for(const Suspension& branch) noexcept {
    const Suspension* nobody = nullptr;
    // relaxed: the exchange decides; what the winner was given is published by its wake (TaskState)
    return winner_.compare_exchange_strong(nobody, &branch, base::relaxed, base::relaxed);
  }

 protected:
  ~SelectWait() = default;

  // Null until it is decided; this choice itself if it was cancelled.
  [[nodiscard]] const Suspension* winner() const noexcept {
    return winner_.load(base::relaxed);  // relaxed: as above
  }

 private:
  base::Atomic<const Suspension*> winner_{nullptr};
};

inline bool Suspension::claim() noexcept { return !branch_ || static_cast<SelectWait&>(*task->wait).claim_for(*this); }

}  // namespace volt::sched
