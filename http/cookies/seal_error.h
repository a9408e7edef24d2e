// SPDX-License-Identifier: MIT

// SealError: the reason why a signed or encrypted cookie is refused.
//
// Threads: values.
#pragma once

#include <cstdint>

namespace volt::http::cookies {

enum class SealError : std::uint8_t {
  malformed,  // too long, too short, or not base64url
  forged,     // sealed by another key, for another name, altered, or of the other kind
  expired,
};

}  // namespace volt::http::cookies
