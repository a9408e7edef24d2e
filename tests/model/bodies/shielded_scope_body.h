// SPDX-License-Identifier: MIT

// A task in a shield() begins a scope and waits. One thread cancels the whole task, which the shield holds back, while
// another thread lets the scope fail, which cancels the wait. So the thread that fails the scope may find the task
// claimed by a thread that has nothing to deliver.
#pragma once

#include "runtime/io/source.h"
#include "tests/model/bodies/task_state_body.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class ShieldFault : std::uint8_t {
  none,
  request_forgotten,  // a request that came during the claim of another thread is not delivered
};

template <ShieldFault kFault = ShieldFault::none>
class ShieldedScopeBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  ShieldedScopeBody() : source_(*new io::Source(-1)) {
    task_ = new Tasklet(wait_in_scope(*this), 2, destroyed_[0]);
    child_ = new Tasklet(fail_scope(*this), 2, destroyed_[1]);
  }

  void thread(unsigned index) override {
    switch (index) {
      case 0:
        return task_->run();
      case 1:
        return child_->run();
      case 2:
        cancel();
        return task_->release();
    }
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(thrown_, "the wait in the failed scope was cancelled");
  }

 private:
  class Scope final : public sched::CancelScope {
   public:
    explicit Scope(sched::TaskHeader& task) noexcept : CancelScope(task) {}
    using CancelScope::end;
    using CancelScope::fail;
  };

  void cancel() {
    if (kFault == ShieldFault::none) return sched::cancel(*task_);
    if (task_->state.request_cancel() != sched::TaskState::Cancel::deliver || !task_->state.try_claim()) return;
    const bool runnable = task_->cancelled() && task_->wait->cancel();
    task_->state.begin_delivery();  // too late
    if (runnable || task_->state.end_delivery() == sched::TaskState::DeliveryEnd::enqueue) sched::enqueue(*task_);
  }

  static Routine wait_in_scope(ShieldedScopeBody& self) {
    ++self.task_->shield_depth;
    Scope scope(*self.task_);
    self.scope_.store(&scope, base::release);
    try {
      co_await EdgeWait(self.source_);
    } catch (const Cancelled&) {  // decided: the purpose of the scope
      self.thrown_ = true;
    }
    ++self.task_->shield_depth;  // the join of the child is not cancelled
    co_await sched::JoinWait(*self.child_, sched::OnCancel::leave);
    scope.end();
    self.child_->release();
    self.source_.drop_reference();
  }

  static Routine fail_scope(ShieldedScopeBody& self) {
    Scope* scope = nullptr;
    while ((scope = self.scope_.load(base::acquire)) == nullptr) pause();
    scope->fail();
    co_return;
  }

  io::Source& source_;
  base::Atomic<Scope*> scope_{nullptr};
  bool thrown_ = false;
  std::array<int, 2> destroyed_{};
  Tasklet* task_;
  Tasklet* child_;
};

}  // namespace volt::model
