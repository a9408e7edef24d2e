// Equality of secrets, in a time that depends on their length only.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace volt::crypto {

// Of two lengths: false at once. So that not even a length is told, compare digests of fixed length, as
// equal_passwords does.
bool constant_time_equal(std::span<const std::byte> a, std::span<const std::byte> b) noexcept;
bool constant_time_equal(std::string_view a, std::string_view b) noexcept;

// Compares by SHA-256, for secrets whose length is one too. A store of passwords needs a slow hash instead (RFC 9106).
bool equal_passwords(std::string_view a, std::string_view b);

}  // namespace volt::crypto
