// SPDX-License-Identifier: MIT

// The tasks of two workers announce that they block while the watchdog samples them; the first one soon ends. No sample
// may remove a worker that still blocks, and that the sample did not find. StuckWorkers is the runtime's; the samples
// repeat Watchdog::sample.
#pragma once

#include <array>

#include "runtime/sched/stuck_workers.h"
#include "tests/model/body.h"

namespace volt::model {

template <class StuckWorkers = sched::StuckWorkers>
class StuckWorkersBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  void thread(unsigned index) override {
    if (index == 2) {
      for (int i = 0; i != 2; ++i) sample();
      return;
    }
    blocks_[index].store(true, base::relaxed);  // Worker::begin_blocking
    stuck_.announce(index);
    if (index == 0) blocks_[index].store(false, base::relaxed);  // Worker::end_blocking
  }

  void finish() override {
    require(stuck_.contains(1), "a worker that blocks is announced, or found by a sample");
    sample();
    require(stuck_.contains(1), "the next sample finds the worker that blocks");
    blocks_[1].store(false, base::relaxed);
    sample();
    require(!stuck_.any(), "the set is empty when no worker blocks");
  }

 private:
  void sample() {
    for (std::uint32_t i = 0; i != 2; ++i) {
      const auto blocks = [this, i] { return blocks_[i].load(base::relaxed); };
      stuck_.sampled(i, blocks(), blocks);
    }
  }

  StuckWorkers stuck_{2};
  std::array<base::Atomic<bool>, 2> blocks_{};
};

}  // namespace volt::model
