// SPDX-License-Identifier: MIT

#include "pg/copy_row.h"

#include <algorithm>
#include <stdexcept>

namespace volt::pg {
namespace {

// The characters that COPY escapes, and the letters that stand for them behind a backslash.
constexpr std::string_view kEscaped = "\\\b\f\n\r\t\v";
constexpr std::string_view kLetters = "\\bfnrtv";

char unescaped(char letter) noexcept {
  const std::size_t found = kLetters.find(letter);
  return found == std::string_view::npos ? letter : kEscaped[found];
}

}  // namespace

std::string CopyRowWriter::quoted(std::string_view element) {
  std::string text = "\"";
  for (const char c : element) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text += '"';
}

void CopyRowWriter::add_null() { into_ += "\\N"; }

void CopyRowWriter::add_text(std::string_view text) {
  if (text.contains('\0')) throw std::invalid_argument("a text column contains a zero byte");
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of(kEscaped), text.size());
    into_ += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    into_ += '\\';
    into_ += kLetters[kEscaped.find(text.front())];
    text.remove_prefix(1);
  }
}

void CopyRowWriter::add_bytes(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  into_ += "\\\\x";
  for (const std::byte byte : bytes) {
    into_ += kDigits[static_cast<unsigned char>(byte) >> 4];
    into_ += kDigits[static_cast<unsigned char>(byte) & 15];
  }
}

void CopyRow::parse(std::span<char> line) {
  columns_.clear();
  char* const end = line.data() + line.size();
  char* from = line.data();
  for (;;) {
    char* const begin = from;
    char* to = from;
    while (from != end && *from != '\t') {
      if (*from == '\\' && from + 1 != end) {
        ++from;
        *to++ = unescaped(*from++);
      } else {
        *to++ = *from++;
      }
    }
    // NULL is \N, and the text N is not escaped.
    const bool null = from - begin == 2 && to - begin == 1 && *begin == 'N';
    columns_.push_back({.text = {begin, to}, .null = null});
    if (from == end) break;
    ++from;
  }
  while (names_.size() < columns_.size()) names_.push_back(std::to_string(names_.size() + 1));
}

Cell CopyRow::at(std::size_t, std::size_t column) const noexcept {
  return {.bytes = columns_[column].text, .column = names_[column], .null = columns_[column].null};
}

}  // namespace volt::pg
