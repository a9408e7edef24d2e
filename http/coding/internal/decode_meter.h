// SPDX-License-Identifier: MIT

// DecodeMeter: counts the input and output of decoders and compares them with the limits.
//
// Threads: a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "http/coding/decode_limits.h"

namespace volt::http::coding {

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
