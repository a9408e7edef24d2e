// SPDX-License-Identifier: MIT

// The state of a task that waits for an edge: it is woken by the edge, cancelled, joined by another task, and released
// by all three.
#pragma once

#include <array>

#include "runtime/io/source.h"
#include "runtime/sched/join.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

// The wait for an edge, a copy of net::ReadyWait.
class EdgeWait final : public sched::Suspension {
 public:
  explicit EdgeWait(io::Source& source) noexcept : source_(source) {}

  [[nodiscard]] bool await_ready() noexcept { return begin() || source_.try_consume(io::Direction::read); }
  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, WaitsFor::nothing);
    return source_.start_wait(io::Direction::read, *this);
  }
  void await_resume() const { throw_if_cancelled(); }
  [[nodiscard]] bool cancel() noexcept override {
    if (source_.stop_wait(io::Direction::read) == nullptr) return false;
    set_cancelled();
    return true;
  }

 private:
  io::Source& source_;
};

class TaskStateBody final : public Body {
 public:
  static constexpr unsigned kThreads = 4;

  TaskStateBody() : source_(*new io::Source(-1)) {
    source_.add_reference();  // for the thread that reports
    waiting_ = new Tasklet(wait_for_edge(*this), 3, destroyed_[0]);
    joining_ = new Tasklet(join(*this), 1, destroyed_[1]);
  }

  void thread(unsigned index) override {
    switch (index) {
      case 0:
        return waiting_->run();
      case 1:
        return joining_->run();
      case 2:
        return report();
      case 3:
        sched::cancel(*waiting_);
        return waiting_->release();
    }
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(runs_ == 1, "the task ran to its end exactly once");
    require(joined_, "the join has ended");
  }

 private:
  void report() {
    base::Chain<io::Completion> woken;
    source_.report(io::Source::kReadable, woken);
    while (io::Completion* completion = woken.pop_front()) sched::wake(*completion->task);
    source_.drop_reference();
  }

  static Routine wait_for_edge(TaskStateBody& self) {
    try {
      co_await EdgeWait(self.source_);
    } catch (const Cancelled&) {  // decided: both outcomes are correct
    }
    ++self.runs_;
    self.source_.drop_reference();
  }

  static Routine join(TaskStateBody& self) {
    co_await sched::JoinWait(*self.waiting_, sched::OnCancel::leave);
    require(self.runs_ == 1, "the task's work is visible to the joiner");
    self.joined_ = true;
    self.waiting_->release();
  }

  io::Source& source_;
  int runs_ = 0;
  bool joined_ = false;
  std::array<int, 2> destroyed_{};
  Tasklet* waiting_;
  Tasklet* joining_;
};

}  // namespace volt::model
