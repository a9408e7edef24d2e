// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/utf8.h"

#include <cstddef>
#include <cstring>

namespace volt::http::websocket {
namespace {

std::size_t ascii_prefix(std::string_view bytes) noexcept {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;
  std::size_t size = 0;
  for (std::uint64_t word; bytes.size() - size >= sizeof(word); size += sizeof(word)) {
    std::memcpy(&word, bytes.data() + size, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (size < bytes.size() && static_cast<std::uint8_t>(bytes[size]) < 0x80) ++size;
  return size;
}

}  // namespace

bool Utf8Validator::feed(std::string_view bytes) noexcept {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (left_ == 0) {
      at += ascii_prefix(bytes.substr(at));
      if (at == bytes.size()) break;
      if (!begin_character(static_cast<std::uint8_t>(bytes[at]))) return false;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(bytes[at]);
    if (byte < low_ || byte > high_) {
      left_ = 1;
      low_ = 1, high_ = 0;
      return false;
    }
    --left_;
    low_ = kContinuationMin, high_ = kContinuationMax;
  }
  return low_ <= high_;
}

// The range of the second byte excludes overlong forms, surrogates and code points above U+10FFFF.
bool Utf8Validator::begin_character(std::uint8_t lead) noexcept {
  if (lead >= 0xc2 && lead <= 0xdf) {
    left_ = 1;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    left_ = 2;
    if (lead == 0xe0) low_ = 0xa0;
    if (lead == 0xed) high_ = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    left_ = 3;
    if (lead == 0xf0) low_ = 0x90;
    if (lead == 0xf4) high_ = 0x8f;
  } else {
    left_ = 1;
    low_ = 1, high_ = 0;
    return false;
  }
  return true;
}

}  // namespace volt::http::websocket
