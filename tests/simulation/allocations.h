// Allocations of the server, counted; and the n-th of them fails. What the simulated kernel, the clients and the driver
// allocate does not count.
//
// Threads: any; the plan belongs to the driver while the worker does not run. Frames come from a pool in plain builds,
// whose chunks are seldom allocated: with the address sanitizer each frame counts.
#pragma once

#include <cstdint>

namespace volt::simulation {

// From the `first`-th on (counted from 1), `count` allocations fail. Counting begins again.
void plan_failures(std::uint64_t first, std::uint64_t count) noexcept;
void plan_no_failures() noexcept;

// Since then.
[[nodiscard]] std::uint64_t allocations() noexcept;
[[nodiscard]] bool an_allocation_failed() noexcept;

// Prints where each comes from that fails.
void print_failing_allocations() noexcept;

}  // namespace volt::simulation
