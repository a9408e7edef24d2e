// Countdown: the last of many tasks tells the one that waits for them all, over a oneshot, so that the waiting task is
// woken once and not once a task.
#pragma once

#include <cstddef>

#include "loadtest/micro/rows/oneshot.h"
#include "runtime/base/atomic.h"

namespace rows {

struct Countdown {
  volt::base::Atomic<std::size_t> left{0};
  Sender<Done> last;

  // Starts again; whoever awaits the result is told when `count` have counted down.
  [[nodiscard]] Receiver<Done> start(std::size_t count) {
    auto [sender, receiver] = oneshot<Done>();
    last = std::move(sender);
    left.store(count, volt::base::relaxed);  // relaxed: the spawns that follow publish it
    return std::move(receiver);
  }

  void count_down() {
    if (left.fetch_sub(1, volt::base::acq_rel) == 1) last.send({});
  }
};

// How a spawned task, which may take no reference, gets at what its row keeps until all its tasks are done.
template <class T>
struct Kept {
  T* object;
  T* operator->() const noexcept { return object; }
};

}  // namespace rows
