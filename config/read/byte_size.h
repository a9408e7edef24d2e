// SPDX-License-Identifier: MIT

// ByteSize: a number of bytes, which a setting has with its unit: "64 KiB".
//
//   struct Shop { volt::ByteSize upload_max = 8_MiB; };
//
// Threads: a value.
#pragma once

#include <cstdint>

#include "http/message/byte_size.h"

namespace volt {

class ByteSize {
 public:
  ByteSize() = default;
  constexpr ByteSize(std::uint64_t count) noexcept : count_(count) {}   // NOLINT: implicit by design
  constexpr operator std::uint64_t() const noexcept { return count_; }  // NOLINT: implicit by design
  [[nodiscard]] constexpr std::uint64_t count() const noexcept { return count_; }

 private:
  std::uint64_t count_;
};

}  // namespace volt
