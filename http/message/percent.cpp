// SPDX-License-Identifier: MIT

#include "http/message/percent.h"

#include <algorithm>

namespace volt::http::message {

std::string percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  while (!text.empty()) decoded += take_percent_decoded(text);
  return decoded;
}

std::string form_decode(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');  // before decoding: an escaped '+' stays a plus
  return percent_decode(spaced);
}

void append_percent_encoded(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789ABCDEF";  // upper case, RFC 3986 section 2.1
  for (const char c : text) {
    if (kUnreservedChars.contains(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 0xf];
  }
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  append_percent_encoded(text, encoded);
  return encoded;
}

}  // namespace volt::http::message
