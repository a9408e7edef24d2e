// SPDX-License-Identifier: MIT

// Time in tests: a processor kept busy, a condition awaited, the outcome of a task.
#pragma once

#include <chrono>
#include <thread>

#include "runtime/cancel.h"
#include "runtime/sched/clock.h"
#include "runtime/spawn.h"
#include "runtime/task.h"

namespace volt::test {

using namespace std::chrono_literals;

// Keeps its thread busy, as a handler that computes does.
inline void burn(std::chrono::nanoseconds duration) {
  const std::int64_t end_ns = sched::now_ns() + duration.count();
  while (sched::now_ns() < end_ns) {
  }
}

// Whether `condition` came true within `timeout`. On a thread of its own right: no worker may sleep like this.
template <class Condition>
[[nodiscard]] bool eventually(Condition&& condition, std::chrono::nanoseconds timeout = 20s) {
  const std::int64_t end_ns = sched::now_ns() + timeout.count();
  while (!condition()) {
    if (sched::now_ns() >= end_ns) return condition();
    std::this_thread::sleep_for(200us);
  }
  return true;
}

enum class Outcome { value, cancelled, threw };

// How a task ended.
template <class T>
Task<Outcome> outcome_of(JoinHandle<T> handle) {
  try {
    co_await std::move(handle);
    co_return Outcome::value;
  } catch (const Cancelled&) {  // decided: this is the answer
    co_return Outcome::cancelled;
  } catch (...) {  // decided: so is this
    co_return Outcome::threw;
  }
}

}  // namespace volt::test
