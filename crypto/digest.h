// SPDX-License-Identifier: MIT

// SHA-1, SHA-256, SHA-384 and SHA-512 (FIPS 180-4, RFC 6234) of data that is complete in memory.
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
using Sha384 = std::array<std::byte, 48>;
using Sha512 = std::array<std::byte, 64>;

Sha1 sha1(std::span<const std::byte> data);
Sha1 sha1(std::string_view data);

Sha256 sha256(std::span<const std::byte> data);
Sha256 sha256(std::string_view data);

Sha384 sha384(std::span<const std::byte> data);
Sha384 sha384(std::string_view data);

Sha512 sha512(std::span<const std::byte> data);
Sha512 sha512(std::string_view data);

}  // namespace volt::crypto
