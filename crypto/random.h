// Random bytes that nobody can guess: keys, nonces, session and request identifiers.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>

namespace volt::crypto {

// From the kernel's generator (getrandom(2)). Does not fail: a kernel without entropy makes it wait, at boot only.
void fill_random(std::span<std::byte> bytes) noexcept;

}  // namespace volt::crypto
