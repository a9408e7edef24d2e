// SPDX-License-Identifier: MIT

#include "pg/parameters.h"

#include <stdexcept>

namespace volt::pg {
namespace {

constexpr std::size_t kBytesMax = std::size_t{1} << 30;  // the server's limit for one value; fits in an int

}  // namespace

void Parameters::begin(Type type, bool binary) {
  all_.push_back({.type = type, .binary = binary, .offset = static_cast<std::uint32_t>(bytes_.size())});
}

void Parameters::end() {
  if (bytes_.size() > kBytesMax) throw std::length_error("the parameters of a query exceed 1 GiB");
  all_.back().size = static_cast<std::uint32_t>(bytes_.size() - all_.back().offset);
  bytes_ += '\0';  // text is passed to libpq as C strings
}

void Parameters::append_bytes(std::span<const std::byte> bytes) {
  bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void Parameters::append_text(std::string_view text) {
  if (text.contains('\0')) throw std::invalid_argument("a text parameter contains a zero byte");
  bytes_ += text;
}

void Parameters::append_big_endian(std::uint64_t bits, std::size_t bytes) {
  for (std::size_t i = bytes; i-- != 0;) bytes_ += static_cast<char>(bits >> (8 * i) & 0xff);
}

void Parameters::put_length(std::size_t at) {
  const std::size_t length = bytes_.size() - at - 4;
  for (std::size_t i = 0; i != 4; ++i) bytes_[at + i] = static_cast<char>(length >> (8 * (3 - i)) & 0xff);
}

// Appends the head of an array in binary form: dimensions, NULL flag, type of the elements, length, first index.
void Parameters::append_array_head(Type element, std::size_t count) {
  append_big_endian(count == 0 ? 0 : 1, 4);
  append_big_endian(0, 4);
  append_big_endian(static_cast<std::uint32_t>(element), 4);
  if (count == 0) return;
  append_big_endian(count, 4);
  append_big_endian(1, 4);
}

}  // namespace volt::pg
