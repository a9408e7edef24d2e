// SPDX-License-Identifier: MIT

// Unpredictable random bytes: for keys, nonces, session and request identifiers; and random pauses.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <span>

namespace volt::crypto {

// Fills `bytes` from the kernel's generator (getrandom(2)). Cannot fail; blocks only while the kernel has no entropy
// yet, shortly after boot.
void fill_random(std::span<std::byte> bytes) noexcept;

// Returns a number of at least 0 and below 1, such as the random part of a pause before a retry.
[[nodiscard]] double random_fraction() noexcept;

}  // namespace volt::crypto
