// SPDX-License-Identifier: MIT

// Base64 and base64url (RFC 4648 sections 4 and 5).
//
// The decoders accept exactly the output of the encoders: each byte sequence has exactly one text. So the text of a
// signature or key cannot be changed without changing its bytes. The decoders reject white space, digits of the other
// alphabet, and non-zero bits after the data. base64 requires padding, base64url forbids it (as in RFC 7515 section 2).
// Rejected text gives nullopt.
//
// Threads: pure functions. Not in constant time: meant for data in transit, not for stored secrets.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace volt::crypto {

std::string base64_encode(std::span<const std::byte> data);
std::optional<std::vector<std::byte>> base64_decode(std::string_view text);

std::string base64url_encode(std::span<const std::byte> data);
std::optional<std::vector<std::byte>> base64url_decode(std::string_view text);

}  // namespace volt::crypto
