// SPDX-License-Identifier: MIT

// Limits on decoded content, in total and relative to the coded bytes: they make decompression bombs harmless.
//
// Threads: values.
#pragma once

#include <cstdint>

namespace volt::http::coding {

struct DecodeLimits {
  std::uint64_t bytes_max = 64 * 1024 * 1024;   // maximum size of decoded content
  std::uint64_t ratio_max = 100;                // decoded bytes per coded byte, at any point; JSON stays below 30
  std::uint64_t ratio_grace_bytes = 64 * 1024;  // decoded bytes before the ratio applies
  std::uint32_t members_max = 256;  // members of gzip (RFC 1952 section 2.2), frames of zstd (RFC 8878 section 3)
};

}  // namespace volt::http::coding
