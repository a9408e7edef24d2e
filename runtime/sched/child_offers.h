// SPDX-License-Identifier: MIT

// ChildOffers: the children of all() that have not begun, as one worker offers them to the others.
//
// A task runs the children of all() inline, one after the other (child_group.h). While one runs, those after it are one
// offer. There are three ways on:
//   - The child ends, and the task takes its offer back. This is all that happens while the children do not wait.
//   - Another worker takes the offer and makes tasks of the children: it has nothing else to do, or the child computes.
//   - The child waits. Before its worker suspends the task, it makes tasks of all that it has on offer.
//
// Invariant C: while no task runs on a worker, the worker offers nothing. So all its offers are from the task that
//     runs, the calls of all() nested in one another; and a task that has been suspended since it made an offer knows,
//     without a look at any shared word, that tasks were made of the children (Context::turn).
//
// Whether to wake a worker for an offer is learned as for fork() (fork_worth.h). A child that soon waits for a socket
// does not pay.
//
// Threads: offer, take_back, any, start and make_tasks belong to the worker; any thread may call the rest.
// Rejected: the deque of fork(). Its jobs are never left behind when a task is suspended, and a forker that waits for a
// thief relies on that (forks.h, invariant F).
#pragma once

#include <cstdint>

#include "runtime/base/intrusive_list.h"
#include "runtime/sched/fork_deque.h"
#include "runtime/sched/fork_worth.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

class Worker;

// Children that have not begun. The offer is in the frame that awaits them.
class ChildOffer {
 public:
  ChildOffer() = default;
  ChildOffer(const ChildOffer&) = delete;
  ChildOffer& operator=(const ChildOffer&) = delete;

  // Makes tasks of the children, and appends them to `tasks`. The caller must queue or run each of them. When the last
  // one has begun, the offer may be gone. Called at most once, by the thread that has taken the offer.
  virtual void make_tasks(base::Chain<TaskHeader>& tasks) noexcept = 0;

 protected:
  ~ChildOffer() = default;

 private:
  friend class ChildOffers;
  ChildOffer* newer_ = nullptr;  // for ChildOffers::make_tasks
};

class ChildOffers {
 public:
  // `shared`: other workers may take offers.
  ChildOffers(Worker& worker, bool shared) noexcept : worker_(worker), deque_(shared ? kOnOffer : 0) {}

  // Returns false if there is no room: the caller must start the children.
  [[nodiscard]] bool offer(ChildOffer& offer) noexcept {
    const auto pushed = deque_.push(offer);
    if (pushed == Deque::Push::full) [[unlikely]]
      return false;
    if (pushed == Deque::Push::offered) offered();
    return true;
  }
  // Takes back the newest offer. Returns false if another worker took it. The running task must have made the offer in
  // this turn.
  [[nodiscard]] bool take_back() noexcept { return deque_.pop(); }
  // Makes tasks of the children of an offer that is not in the deque, and queues them.
  void start(ChildOffer& offer) noexcept;

  // Returns whether an offer is left.
  [[nodiscard]] bool any() noexcept { return deque_.newest() != nullptr; }
  // Takes back all offers, and appends the tasks that it makes of their children to `tasks`, those of the oldest offer
  // first.
  void make_tasks(base::Chain<TaskHeader>& tasks) noexcept {
    ChildOffer* oldest = nullptr;
    for (ChildOffer* newest = deque_.newest(); newest != nullptr && deque_.pop(); newest = deque_.newest()) {
      newest->newer_ = oldest;
      oldest = newest;
    }
    while (oldest != nullptr) {
      ChildOffer* const newer = oldest->newer_;
      oldest->make_tasks(tasks);
      oldest = newer;
    }
  }

  // ---- any thread ----
  // Returns whether a worker could take an offer. A hint.
  [[nodiscard]] bool on_offer() const noexcept { return deque_.on_offer(); }
  // Returns whether a worker could take an offer, and this is expected to pay.
  [[nodiscard]] bool attractive() const noexcept { return deque_.on_offer() && worth_.thieves_welcome(); }
  // Takes the oldest offer; null if there is none.
  [[nodiscard]] ChildOffer* steal() noexcept { return deque_.steal(); }
  [[nodiscard]] ForkWorth& worth() noexcept { return worth_; }

 private:
  // A child that computes can be deeper than its parents, whose offers are all taken. Therefore several offers are kept
  // where other workers see them. In a recursion nearly all are deeper, and need no fence.
  static constexpr std::uint32_t kOnOffer = 8;
  static constexpr std::uint32_t kDepthMax = 64;  // the children of deeper calls become tasks at once
  using Deque = ForkDeque<ChildOffer, kDepthMax>;

  void offered() noexcept;

  Worker& worker_;
  Deque deque_;
  ForkWorth worth_;
};

}  // namespace volt::sched
