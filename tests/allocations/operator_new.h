// operator new that can fail: operator_new.cpp asks before each allocation of the program.
//
// Threads: any.
#pragma once

namespace volt::test {

// The program defines it: whether the allocation that is about to be made fails. Allocates nothing.
[[nodiscard]] bool allocation_fails() noexcept;

}  // namespace volt::test
