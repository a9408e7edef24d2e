// SPDX-License-Identifier: MIT

// The tasks of two workers announce that they block while the watchdog samples them; the first one soon ends. No sample
// may clear the sign of a worker that still blocks, and that the sample did not find. AnyStuck is the runtime's; the
// samples repeat Watchdog::sample.
#pragma once

#include <array>

#include "runtime/sched/any_stuck.h"
#include "tests/model/body.h"

namespace volt::model {

template <class AnyStuck = sched::AnyStuck>
class AnyStuckBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  void thread(unsigned index) override {
    if (index == 2) {
      for (int i = 0; i != 2; ++i) sample();
      return;
    }
    blocks_[index].store(true, base::relaxed);  // Worker::begin_blocking
    any_stuck_.announce();
    if (index == 0) blocks_[index].store(false, base::relaxed);  // Worker::end_blocking
  }

  void finish() override {
    require(any_stuck_.value(), "a worker that blocks is announced, or found by a sample");
    sample();
    require(any_stuck_.value(), "the next sample finds the worker that blocks");
    blocks_[1].store(false, base::relaxed);
    sample();
    require(!any_stuck_.value(), "no sign is left when no worker blocks");
  }

 private:
  void sample() {
    const std::uint64_t announced = any_stuck_.begin_sample();
    bool stuck = false;
    for (const base::Atomic<bool>& blocks : blocks_) stuck = blocks.load(base::relaxed) || stuck;
    any_stuck_.end_sample(announced, stuck);
  }

  AnyStuck any_stuck_;
  std::array<base::Atomic<bool>, 2> blocks_{};
};

}  // namespace volt::model
