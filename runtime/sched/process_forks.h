// SPDX-License-Identifier: MIT

// Detects the use of a scheduler in a child process. fork() copies the memory of a process but only the calling thread,
// so in the child a scheduler has no workers, and everything that waits for one would wait forever.
//
// Threads: any.
#pragma once

#include <cstdint>

namespace volt::sched {

// Returns how many calls of fork() lie between this process and the one in which this function was first called.
[[nodiscard]] std::uint32_t process_forks() noexcept;

}  // namespace volt::sched
