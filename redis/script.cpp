// SPDX-License-Identifier: MIT

#include "redis/script.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "crypto/digest.h"

namespace volt::redis {
namespace {

std::string digest_of(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hexadecimal;
  for (const std::byte byte : crypto::sha1(text)) {
    hexadecimal += digits[std::to_integer<unsigned>(byte) >> 4];
    hexadecimal += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return hexadecimal;
}

}  // namespace

Script::Script(std::string text) {
  std::string digest = digest_of(text);
  source_ = std::make_shared<const Source>(std::move(text), std::move(digest));
}

}  // namespace volt::redis
