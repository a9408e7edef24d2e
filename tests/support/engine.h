// SPDX-License-Identifier: MIT

// The engine that this run of the tests is about, as VOLT_TEST_IO=uring|epoll says; io_uring if it says nothing.
#pragma once

#include <cstdint>

#include "runtime/io/reactor.h"
#include "runtime/options.h"

namespace volt {

[[nodiscard]] io::Engine test_engine();

// Options of a runtime for a test: that engine, and nothing taken from the machine.
[[nodiscard]] RuntimeOptions test_options(std::uint32_t workers = 2);

}  // namespace volt
