// SPDX-License-Identifier: MIT

// wall_now(): the time of day by which a program decides what has expired and which date it sends. runtime/wall_clock.h
// describes it. It is declared here, where modules that do no I/O may use it, and defined by the scheduler.
//
// Threads: any.
#pragma once

#include <chrono>

namespace volt {

// In a task, and in a callable of blocking(), returns the wall clock of the runtime; on other threads, that of the
// system.
[[nodiscard]] std::chrono::system_clock::time_point wall_now() noexcept;

// Returns the second in which wall_now() lies, in which HTTP dates and the claims of a JWT are given.
[[nodiscard]] inline std::chrono::sys_seconds wall_second() noexcept {
  return std::chrono::floor<std::chrono::seconds>(wall_now());
}

}  // namespace volt
