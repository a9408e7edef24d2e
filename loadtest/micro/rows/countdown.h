// Countdown: the last of many tasks tells the one that waits for them all, over a oneshot, so that the waiting task is
// woken once and not once a task.
#pragma once

#include <cstddef>

#include "loadtest/micro/rows/task_group.h"
#include "runtime/base/atomic.h"
#include "runtime/oneshot.h"

namespace rows {

struct Done {};  // what is sent where only the fact counts

struct Countdown {
  volt::base::Atomic<std::size_t> left{0};
  volt::OneshotSender<Done> last;

  // Starts again; whoever awaits the result is told when `count` have counted down.
  [[nodiscard]] volt::OneshotReceiver<Done> start(std::size_t count) {
    auto [sender, receiver] = volt::oneshot<Done>();
    last = std::move(sender);
    left.store(count, volt::base::relaxed);  // relaxed: the spawns that follow publish it
    return std::move(receiver);
  }

  void count_down() {
    if (left.fetch_sub(1, volt::base::acq_rel) == 1) std::move(last).send({});
  }
};

}  // namespace rows
