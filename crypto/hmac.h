// SPDX-License-Identifier: MIT

// HMAC (RFC 2104) with SHA-256, SHA-384 and SHA-512 (RFC 4231), of data that is complete in memory.
//
// Compare the result with crypto::constant_time_equal, never with ==: the duration of == reveals how much of a forgery
// was right.
//
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace volt::crypto {

std::array<std::byte, 32> hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> data);
std::array<std::byte, 48> hmac_sha384(std::span<const std::byte> key, std::span<const std::byte> data);
std::array<std::byte, 64> hmac_sha512(std::span<const std::byte> key, std::span<const std::byte> data);

}  // namespace volt::crypto
