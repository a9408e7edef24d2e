// SPDX-License-Identifier: MIT

// OnceCell: two tasks request the value, one of them is cancelled at some point, and a thread looks for the value.
#pragma once

#include <array>

#include "runtime/once_cell.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class OnceCellBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  OnceCellBody() : first_(make(0, 1)), second_(make(1, 2)) {}

  void thread(unsigned index) override {
    if (index == 0) first_.run();
    if (index == 1) second_.run();
    if (index != 2) return;
    sched::cancel(second_);
    second_.release();
    if (const int* value = cell_.get()) require(*value == kValue, "a value that is there is complete");
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(made_ == 1, "the value is created once");
  }

 private:
  static constexpr int kValue = 7;

  Tasklet& make(unsigned task, std::uint32_t references) {
    return *new Tasklet(request(*this), references, destroyed_[task]);
  }

  static Task<int> create(OnceCellBody& self) {
    ++self.made_;
    co_return kValue;
  }

  static Routine request(OnceCellBody& self) {
    try {
      const int& value = co_await self.cell_.get_or_init([&self] { return create(self); });
      require(value == kValue, "each task gets the value");
    } catch (const Cancelled&) {  // decided: the other task gets the value
    }
  }

  OnceCell<int> cell_;
  int made_ = 0;  // belongs to the task that creates the value
  std::array<int, 2> destroyed_{};
  Tasklet& first_;
  Tasklet& second_;
};

}  // namespace volt::model
