// SPDX-License-Identifier: MIT

// SHA-1 and SHA-256 (FIPS 180-4, RFC 6234) of data that is complete in memory.
//
// SHA-1 is provided only for the WebSocket handshake (RFC 6455 section 4.2.2), which does not rely on its strength. Do
// not use it where a forgery would do harm.
//
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace volt::crypto {

using Sha1 = std::array<std::byte, 20>;
using Sha256 = std::array<std::byte, 32>;

Sha1 sha1(std::span<const std::byte> data);
Sha1 sha1(std::string_view data);

Sha256 sha256(std::span<const std::byte> data);
Sha256 sha256(std::string_view data);

}  // namespace volt::crypto
