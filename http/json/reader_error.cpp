// SPDX-License-Identifier: MIT

// The error messages of Reader, and the paths to the values that were refused.
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "http/json/reader.h"

namespace volt::http::json {
namespace {

constexpr std::size_t kErrorsMax = 16;  // a hostile document must not get a long response

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

JsonError Reader::take_error() {
  JsonError first = std::move(errors_.front());
  first.others.assign(std::make_move_iterator(errors_.begin() + 1), std::make_move_iterator(errors_.end()));
  errors_.clear();
  return first;
}

bool Reader::fail(JsonError::Kind kind, std::string detail) {
  errors_.push_back({kind, {}, std::move(detail), {}});
  return false;
}

bool Reader::accept(std::vector<Invalid> refused) {
  for (Invalid& invalid : refused) {
    if (errors_.size() == kErrorsMax) break;
    fail(JsonError::Kind::invalid, std::move(invalid.text));
    if (!invalid.member.empty()) errors_.back().path = "/" + invalid.member;
  }
  return refused.empty();
}

bool Reader::fail_type(std::string_view expected) {
  std::string detail = "expected ";
  detail.append(expected).append(", found ").append(name_of(peek()));
  return fail(JsonError::Kind::type, std::move(detail));
}

bool Reader::within(std::string_view key, std::size_t since) {
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
  return prepend(step, since);
}

bool Reader::within(std::size_t index, std::size_t since) { return prepend("/" + std::to_string(index), since); }

bool Reader::prepend(const std::string& step, std::size_t since) {
  for (std::size_t i = since; i < errors_.size(); ++i) errors_[i].path.insert(0, step);
  return !stopped_ && errors_.size() < kErrorsMax;
}

std::string_view shortened(std::string_view text, std::size_t bytes_max) noexcept {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && (text[bytes_max] & 0xc0) == 0x80) --bytes_max;  // a byte that continues a character
  return text.substr(0, bytes_max);
}

}  // namespace volt::http::json
