// SPDX-License-Identifier: MIT

// Countdown: lets a task wait for many tasks. The last of them sends on a oneshot, so that the waiting task is woken
// once and not once per task.
//
// Edges
//   C1  each count_down() releases  ->  the last one acquires : all tasks are done with their work when it sends
#pragma once

#include <cstddef>

#include "loadtest/micro/rows/task_group.h"
#include "runtime/base/atomic.h"
#include "runtime/oneshot.h"

namespace rows {

struct Done {};  // a message without content

struct Countdown {
  volt::base::Atomic<std::size_t> left{0};
  volt::OneshotSender<Done> last;

  // Starts again. The returned receiver gets a value when count_down() has been called `count` times.
  [[nodiscard]] volt::OneshotReceiver<Done> start(std::size_t count) {
    auto [sender, receiver] = volt::oneshot<Done>();
    last = std::move(sender);
    left.store(count, volt::base::relaxed);  // relaxed: the spawns that follow publish it
    return std::move(receiver);
  }

  void count_down() {
    if (left.fetch_sub(1, volt::base::acq_rel) == 1) std::move(last).send({});  // C1
  }
};

}  // namespace rows
