// SPDX-License-Identifier: MIT

// Mutex: two tasks lock it in turn, one of them is cancelled at some point.
#pragma once

#include <array>

#include "runtime/mutex.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class MutexBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  MutexBody() : first_(make(0, 1)), second_(make(1, 2)) {}

  void thread(unsigned index) override {
    if (index == 0) first_.run();
    if (index == 1) second_.run();
    if (index != 2) return;
    sched::cancel(second_);
    second_.release();
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(turns_ == 1 + (cancelled_ ? 0 : 1), "each turn was taken or cancelled");
    require(mutex_.try_lock().has_value(), "no task still holds the lock");
  }

 private:
  Tasklet& make(unsigned task, std::uint32_t references) {
    return *new Tasklet(take_turn(*this), references, destroyed_[task]);
  }

  static Routine take_turn(MutexBody& self) {
    try {
      const Mutex::Guard guard = co_await self.mutex_.lock();
      require(!self.inside_, "one task at a time holds the lock");
      self.inside_ = true;
      ++self.turns_;
      self.inside_ = false;
    } catch (const Cancelled&) {
      self.cancelled_ = true;
    }
  }

  Mutex mutex_;
  bool inside_ = false;  // guarded by mutex_
  int turns_ = 0;        // guarded by mutex_
  bool cancelled_ = false;
  std::array<int, 2> destroyed_{};
  Tasklet& first_;
  Tasklet& second_;
};

}  // namespace volt::model
