// SPDX-License-Identifier: MIT

// Equality of secrets, in a time that depends only on their length.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace volt::crypto {

// Returns true if `a` and `b` are equal; returns false at once if their lengths differ. To hide even the length,
// compare digests of fixed length, as equal_passwords() does.
bool constant_time_equal(std::span<const std::byte> a, std::span<const std::byte> b) noexcept;
bool constant_time_equal(std::string_view a, std::string_view b) noexcept;

// Compares secrets whose length is secret too, by their SHA-256 digests. Stored passwords need a slow hash instead (RFC
// 9106).
bool equal_passwords(std::string_view a, std::string_view b);

}  // namespace volt::crypto
