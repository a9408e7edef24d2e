// SPDX-License-Identifier: MIT

#include "crypto/base64.h"

#include <array>
#include <cstdint>

namespace volt::crypto {
namespace {

constexpr std::uint8_t kNoDigit = 0xff;

// An alphabet of 64 digits, and the value of each byte as a digit.
class Alphabet {
 public:
  explicit constexpr Alphabet(std::string_view digits) : digits_(digits) {
    values_.fill(kNoDigit);
    for (std::uint8_t value = 0; value < 64; ++value) values_[static_cast<std::uint8_t>(digits[value])] = value;
  }

  constexpr char digit(std::uint32_t value) const noexcept { return digits_[value & 63]; }
  constexpr std::uint8_t value(char digit) const noexcept { return values_[static_cast<std::uint8_t>(digit)]; }

 private:
  std::string_view digits_;
  std::array<std::uint8_t, 256> values_{};
};

constexpr Alphabet kStandard("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
constexpr Alphabet kUrl("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

// Encodes without padding: three bytes become four digits. One remaining byte becomes two digits; two remaining bytes
// become three digits.
std::string encode(const Alphabet& alphabet, std::span<const std::byte> data) {
  std::string text;
  text.reserve((data.size() + 2) / 3 * 4);
  while (!data.empty()) {
    const auto group = data.first(data.size() < 3 ? data.size() : 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < group.size() ? std::to_integer<std::uint32_t>(group[i]) : 0);
    for (std::size_t i = 0; i <= group.size(); ++i) text += alphabet.digit(bits >> (18 - 6 * i));
    data = data.subspan(group.size());
  }
  return text;
}

// Decodes unpadded text.
std::optional<std::vector<std::byte>> decode(const Alphabet& alphabet, std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;  // six bits do not form a byte
  std::vector<std::byte> data;
  data.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned bit_count = 0;  // number of decoded bits that do not form a whole byte yet
  for (const char c : text) {
    const std::uint8_t value = alphabet.value(c);
    if (value == kNoDigit) return std::nullopt;
    bits = bits << 6 | value;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    data.push_back(static_cast<std::byte>(bits >> bit_count));
    bits &= (1U << bit_count) - 1;
  }
  if (bits != 0) return std::nullopt;  // RFC 4648 section 3.5: a decoder may reject such text; this one does
  return data;
}

}  // namespace

std::string base64_encode(std::span<const std::byte> data) {
  std::string text = encode(kStandard, data);
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::optional<std::vector<std::byte>> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  if (text.ends_with("==")) {
    text.remove_suffix(2);
  } else if (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  return decode(kStandard, text);
}

std::string base64url_encode(std::span<const std::byte> data) { return encode(kUrl, data); }

std::optional<std::vector<std::byte>> base64url_decode(std::string_view text) { return decode(kUrl, text); }

}  // namespace volt::crypto
