// SPDX-License-Identifier: MIT

#include "http/files/hashed_name.h"

#include <algorithm>

#include "crypto/digest.h"
#include "http/message/ascii.h"

namespace volt::http::files {
namespace {

bool is_content_hash(std::string_view text) noexcept {
  const auto is_digit = [](char c) { return message::is_digit(c) || (c >= 'a' && c <= 'f'); };
  return text.size() == kContentHashChars && std::ranges::all_of(text, is_digit);
}

}  // namespace

std::string content_hash(std::string_view content) {
  constexpr std::string_view digits = "0123456789abcdef";
  const crypto::Sha256 digest = crypto::sha256(content);
  std::string hash;
  for (std::size_t i = 0; i != kContentHashChars / 2; ++i) {
    const auto byte = std::to_integer<std::size_t>(digest[i]);
    hash += digits[byte >> 4];
    hash += digits[byte & 0xf];
  }
  return hash;
}

std::string with_hash(std::string_view name, std::string_view hash) {
  const std::size_t file = name.rfind('/') + 1;
  const std::size_t dot = name.rfind('.');
  const std::size_t end = dot == std::string_view::npos || dot <= file ? name.size() : dot;
  return std::string(name.substr(0, end)).append(".").append(hash).append(name.substr(end));
}

std::optional<HashedName> without_hash(std::string_view name) {
  const std::size_t file = name.rfind('/') + 1;
  std::size_t extension = name.size();
  for (int part = 0; part != 2; ++part) {  // the hash is the last part of the name, or the one before its extension
    const std::size_t dot = name.substr(0, extension).rfind('.');
    if (dot == std::string_view::npos || dot <= file) return std::nullopt;
    const std::string_view hash = name.substr(dot + 1, extension - dot - 1);
    if (is_content_hash(hash))
      return HashedName{std::string(name.substr(0, dot)).append(name.substr(extension)), std::string(hash)};
    extension = dot;
  }
  return std::nullopt;
}

}  // namespace volt::http::files
