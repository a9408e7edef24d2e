// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/mask.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::websocket {
TEST_SUITE_BEGIN("http/websocket/protocol/mask");

TEST_CASE("each byte is XORed with the key byte at its offset, at any length and offset, RFC 6455 section 5.3") {
  constexpr Mask mask = {0x37, 0xfa, 0x21, 0x3d};
  for (std::size_t size = 0; size < 40; ++size) {
    for (std::uint64_t offset = 0; offset < 9; ++offset) {
      std::string bytes(size, '\0');
      std::string want(size, '\0');
      for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<char>(i * 7);
        want[i] = static_cast<char>(bytes[i] ^ mask[(offset + i) % 4]);
      }
      apply_mask(bytes, mask, offset);
      if (bytes == want) continue;
      CAPTURE(size);
      CAPTURE(offset);
      CHECK(bytes == want);
    }
  }
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
