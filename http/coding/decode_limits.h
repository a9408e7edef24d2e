// How much decoded content is taken, and how much of it from how little: what makes a bomb harmless.
//
// Threads: values.
#pragma once

#include <cstdint>

namespace volt::http::coding {

struct DecodeLimits {
  std::uint64_t bytes_max = 64 * 1024 * 1024;   // of decoded content
  std::uint64_t ratio_max = 100;                // decoded bytes a coded byte, at any point; JSON stays below 30
  std::uint64_t ratio_grace_bytes = 64 * 1024;  // of decoded content, before the ratio counts
  std::uint32_t members_max = 256;              // of gzip (RFC 1952 section 2.2), frames of zstd (RFC 8878 section 3)
};

}  // namespace volt::http::coding
