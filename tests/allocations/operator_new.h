// SPDX-License-Identifier: MIT

// A replacement of operator new that can fail: operator_new.cpp calls allocation_fails() before each allocation.
//
// Threads: any.
#pragma once

namespace volt::test {

// Returns whether the allocation that is about to be made must fail. Defined by the test program; must not allocate.
[[nodiscard]] bool allocation_fails() noexcept;

}  // namespace volt::test
