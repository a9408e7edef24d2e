// SPDX-License-Identifier: MIT

// all() with two children, while the task that calls it is cancelled.
#pragma once

#include <stdexcept>
#include <tuple>

#include "runtime/concurrent.h"
#include "runtime/notify.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

// Neither child waits. A thief may take the second one while the first runs.
class StolenChildBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  StolenChildBody() : parent_(*new Tasklet(await_children(*this), 2, destroyed_)) {}

  void thread(unsigned index) override {
    switch (index) {
      case 0:
        return parent_.run(&worker_);
      case 1:
        return steal();
      case 2:
        sched::cancel(parent_);
        return parent_.release();
    }
  }

  void finish() override {
    require(destroyed_ == 1, "the task is destroyed exactly once");
    require(ran_[0] == 1 && ran_[1] == 1, "each child runs exactly once");
    require(sum_ == 3 || (sum_ == 0 && cancelled_), "the values are returned, unless the task was cancelled");
  }

 private:
  void steal() {
    sched::ChildOffer* const offer = worker_.offers.steal();
    if (offer == nullptr) return;
    base::Chain<sched::TaskHeader> children;
    offer->make_tasks(children);
    while (sched::TaskHeader* child = children.pop_front()) ParentWorker::run_child(*child);
  }

  static Task<int> child(StolenChildBody& self, int index) {
    require(self.data_ == 1, "a child sees what was written before");
    ++self.ran_[index];
    co_return index + 1;
  }

  static Routine await_children(StolenChildBody& self) {
    self.data_ = 1;
    try {
      const auto [one, two] = co_await all([&self] { return child(self, 0); }, [&self] { return child(self, 1); });
      self.sum_ = one + two;
    } catch (const Cancelled&) {  // decided: the children have run nevertheless
      self.cancelled_ = true;
    }
    require(self.ran_[1] == 1, "the children have ended, and what they wrote is visible");
  }

  ParentWorker worker_{true};
  int data_ = 0;  // written before the children are on offer
  int ran_[2]{};
  int sum_ = 0;
  bool cancelled_ = false;
  int destroyed_ = 0;
  Tasklet& parent_;
};

// Faults that are left in on purpose; the explorer must find each of them.
enum class ChildrenFault : std::uint8_t {
  none,
  not_handed_over,  // the task is suspended while a child is on offer
};

// The first child waits until it is cancelled, so the second becomes a task, which runs on another thread and fails.
template <ChildrenFault kFault = ChildrenFault::none>
class WaitingChildBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  WaitingChildBody() : parent_(*new Tasklet(await_children(*this), 2, destroyed_)) {}

  void thread(unsigned index) override {
    switch (index) {
      case 0:
        parent_.run(&worker_);
        return worker_.close();
      case 1:
        return worker_.run_children();
      case 2:
        sched::cancel(parent_);
        return parent_.release();
    }
  }

  void finish() override {
    require(destroyed_ == 1, "the task is destroyed exactly once");
    require(thrown_ || cancelled_, "all() throws");
  }

 private:
  static Task<> wait(WaitingChildBody& self) { co_await self.never_.notified(); }

  static Task<> fail(WaitingChildBody& self) {
    self.failed_ = true;
    throw std::runtime_error("child");
    co_return;
  }

  static Routine await_children(WaitingChildBody& self) {
    try {
      co_await all([&self] { return wait(self); }, [&self] { return fail(self); });
    } catch (const std::runtime_error&) {  // decided: the purpose of the second child
      self.thrown_ = true;
      require(self.failed_, "what the children wrote is visible");
    } catch (const Cancelled&) {  // decided: by the third thread
      self.cancelled_ = true;
    }
  }

  ParentWorker worker_{false, kFault != ChildrenFault::not_handed_over};
  Notify never_;
  bool failed_ = false;
  bool thrown_ = false;
  bool cancelled_ = false;
  int destroyed_ = 0;
  Tasklet& parent_;
};

}  // namespace volt::model
