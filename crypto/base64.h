// Base64 and base64url (RFC 4648 sections 4 and 5).
//
// The decoders take exactly what the encoders write, so that bytes have one spelling and a decoded signature or key
// cannot be altered without being changed: no white space, no bytes of the other alphabet, no bits beyond the data;
// base64 is padded, base64url is not (as RFC 7515 section 2 has it). Anything else is nullopt.
//
// Threads: pure functions. Not in constant time: for what travels, not for secrets at rest.
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
