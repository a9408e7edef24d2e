// SPDX-License-Identifier: MIT

#include "crypto/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdint>

#include "runtime/base/check.h"

namespace volt::crypto {

void fill_random(std::span<std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::getrandom(bytes.data(), bytes.size(), 0);
    VOLT_CHECK(count > 0 || errno == EINTR);
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

double random_fraction() noexcept {
  std::uint32_t drawn = 0;
  fill_random(std::as_writable_bytes(std::span(&drawn, 1)));
  return static_cast<double>(drawn) / 4294967296.0;  // 2^32
}

}  // namespace volt::crypto
