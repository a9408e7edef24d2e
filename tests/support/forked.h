// SPDX-License-Identifier: MIT

// For tests of forks: a call as a task, and parts of a fork that wait for each other.
#pragma once

#include <chrono>
#include <thread>
#include <type_traits>

#include "runtime/base/atomic.h"
#include "runtime/runtime.h"
#include "runtime/sched/clock.h"

namespace volt::test {

inline constexpr std::uint32_t kWorkerCounts[] = {1, 2, 4};
inline constexpr std::chrono::nanoseconds kForkTimeout = std::chrono::seconds(30);

// Calls `function` in a task of `runtime`.
template <class F>
auto in_task(Runtime& runtime, F function) {
  return runtime.block_on([&]() -> Task<std::invoke_result_t<F&>> { co_return function(); });
}

// Two meet when they run at the same time.
class Meeting {
 public:
  // Waits until the other has come, too: false if it never does.
  bool meet() {
    met_.fetch_add(1, base::relaxed);  // relaxed: a count
    const std::int64_t end_ns = sched::now_ns() + kForkTimeout.count();
    while (met_.load(base::relaxed) < 2) {  // relaxed: a count
      if (sched::now_ns() > end_ns) return false;
      std::this_thread::yield();
    }
    return true;
  }

 private:
  base::Atomic<int> met_{0};
};

}  // namespace volt::test
