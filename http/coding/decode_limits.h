// How much decoded content is taken, and how much of it from how little: what makes a bomb harmless.
//
// Threads: values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace volt::http::coding {

struct DecodeLimits {
  std::uint64_t bytes_max = 64 * 1024 * 1024;   // of decoded content
  std::uint64_t ratio_max = 100;                // decoded bytes a coded byte, at any point; JSON stays below 30
  std::uint64_t ratio_grace_bytes = 64 * 1024;  // of decoded content, before the ratio counts
  std::uint32_t members_max = 256;              // of gzip (RFC 1952 section 2.2), frames of zstd (RFC 8878 section 3)
};

// Counts both sides of a decoder.
class DecodeMeter {
 public:
  void count(std::size_t coded_bytes, std::size_t decoded_bytes) noexcept {
    coded_bytes_ += coded_bytes;
    decoded_bytes_ += decoded_bytes;
  }

  bool over(const DecodeLimits& limits) const noexcept {
    if (decoded_bytes_ > limits.bytes_max) return true;
    if (decoded_bytes_ <= limits.ratio_grace_bytes) return false;
    return decoded_bytes_ / std::max<std::uint64_t>(coded_bytes_, 1) > limits.ratio_max;
  }

 private:
  std::uint64_t coded_bytes_ = 0;
  std::uint64_t decoded_bytes_ = 0;
};

}  // namespace volt::http::coding
