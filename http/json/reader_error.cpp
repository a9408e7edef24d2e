// SPDX-License-Identifier: MIT

// The error messages of Reader, and the path to the value that was refused.
#include <utility>

#include "http/json/reader.h"

namespace volt::http::json {
namespace {

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "true or false";
    case Kind::number:
      return "a number";
    case Kind::string:
      return "a string";
    case Kind::array:
      return "an array";
    case Kind::object:
      return "an object";
  }
  std::unreachable();
}

}  // namespace

bool Reader::fail(JsonError::Kind kind, std::string detail) {
  error_ = {kind, {}, std::move(detail)};
  return false;
}

bool Reader::fail_type(std::string_view expected) {
  std::string detail = "expected ";
  detail.append(expected).append(", found ").append(name_of(peek()));
  return fail(JsonError::Kind::type, std::move(detail));
}

bool Reader::within(std::string_view key) {
  constexpr std::size_t key_bytes_max = 128;  // a path must not carry back a very long key
  std::string step = "/";
  for (const char c : shortened(key, key_bytes_max)) {  // RFC 6901 section 3
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  error_.path.insert(0, step);
  return false;
}

bool Reader::within(std::size_t index) {
  error_.path.insert(0, "/" + std::to_string(index));
  return false;
}

std::string_view shortened(std::string_view text, std::size_t bytes_max) noexcept {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && (text[bytes_max] & 0xc0) == 0x80) --bytes_max;  // a byte that continues a character
  return text.substr(0, bytes_max);
}

}  // namespace volt::http::json
