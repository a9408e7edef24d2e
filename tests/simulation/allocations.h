// SPDX-License-Identifier: MIT

// Counts the server's allocations and makes some of them fail. Allocations of the simulated kernel, of the clients and
// of the driver do not count.
//
// Threads: any; the driver plans failures while the worker does not run. In plain builds coroutine frames come from a
// pool whose chunks are seldom allocated; with the address sanitizer each frame is an allocation.
#pragma once

#include <cstdint>

namespace volt::simulation {

// Makes `count` allocations fail, from the `first`-th on (counted from 1). Resets the count.
void plan_failures(std::uint64_t first, std::uint64_t count) noexcept;
void plan_no_failures() noexcept;

// Returns the number of allocations since the last plan.
[[nodiscard]] std::uint64_t allocations() noexcept;
[[nodiscard]] bool an_allocation_failed() noexcept;

// From now on, prints the stack of each allocation that fails.
void print_failing_allocations() noexcept;

}  // namespace volt::simulation
