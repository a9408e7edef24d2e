// SPDX-License-Identifier: MIT

// The engine that this run of the tests is about, as VOLT_TEST_IO=uring|epoll says; io_uring if it says nothing.
//
// VOLT_TEST_RING gives every ring of the program the properties that it has on other kernels (io::RingOptions):
// "eventfd" for the wake-up, "cq=16" for a completion queue of so many entries, or both, separated by a comma.
#pragma once

#include <cstdint>

#include "runtime/io/reactor.h"
#include "runtime/options.h"

namespace volt {

[[nodiscard]] io::Engine test_engine();

// Options of a runtime for a test: that engine, nothing taken from the machine, and no spare workers.
[[nodiscard]] RuntimeOptions test_options(std::uint32_t workers = 2);

}  // namespace volt
