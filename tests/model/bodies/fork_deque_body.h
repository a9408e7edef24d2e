// SPDX-License-Identifier: MIT

// The fork deque, used by its owner and two thieves.
#pragma once

#include <array>

#include "runtime/sched/fork_deque.h"
#include "tests/model/body.h"

namespace volt::model {

// The thread that takes a job writes `taken`, which is not atomic: a second taker is a race.
struct ForkedJob {
  int value = 0;  // written by the owner before it pushes the job
  int taken = 0;

  void take() {
    require(value == 1, "a taken job contains the value that its owner wrote");
    ++taken;
  }
};

// Nested forks, some side by side, pass through a ring of four. Two jobs are on offer, the youngest is private for some
// time, the last remaining job is taken back or stolen, and positions wrap around.
class ForkDequeBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  void thread(unsigned index) override {
    if (index == 0) {
      fork(0, 2);
      fork(3, 1);
    } else if (ForkedJob* job = deque_.steal()) {
      job->take();
    }
  }

  void finish() override {
    require(!deque_.on_offer(), "no job is left on offer");
    for (const ForkedJob& job : jobs_) require(job.taken == 1, "each job is taken exactly once");
  }

 private:
  using Deque = sched::ForkDeque<ForkedJob, 4>;

  void fork(std::size_t index, int depth) {
    ForkedJob& job = jobs_[index];
    job.value = 1;
    require(deque_.push(job) != Deque::Push::full, "the deque has room");
    if (depth > 0) fork(index + 1, depth - 1);
    if (deque_.pop()) job.take();
  }

  std::array<ForkedJob, 5> jobs_{};
  Deque deque_{2};
};

}  // namespace volt::model
