// SPDX-License-Identifier: MIT

#include "http/json/internal/syntax_error.h"

#include <algorithm>
#include <array>

#include "http/json/internal/clean_run.h"
#include "http/message/ascii.h"
#include "http/message/utf8_sequence.h"

namespace volt::http::json {
namespace {

using message::is_digit;

class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : text_(text) {}

  std::optional<SyntaxError> scan() {
    while (!syntax_error_ && !done_) {
      skip_space();
      step();
    }
    return syntax_error_;
  }

 private:
  enum class Expected : std::uint8_t { value, value_or_end, name, name_or_end, more };

  void step() {
    switch (expected_) {
      case Expected::value_or_end:
        if (!take(']')) return read_value();
        return close();
      case Expected::value:
        return read_value();
      case Expected::name_or_end:
        if (!take('}')) return read_name();
        return close();
      case Expected::name:
        return read_name();
      case Expected::more:
        return read_more();
    }
  }

  void read_value() {
    expected_ = Expected::more;
    if (take('[')) return open('[', Expected::value_or_end);
    if (take('{')) return open('{', Expected::name_or_end);
    const char c = peek();
    if (c == '"') return read_string();
    if (c == '-' || is_digit(c)) return read_number();
    if (message::is_alpha(c)) return read_word();
    refuse(at_, "a value is missing");
  }

  void read_name() {
    if (peek() != '"') return refuse(at_, "a member name in quotes is missing");
    read_string();
    skip_space();
    if (!take(':')) return refuse(at_, "a colon is missing");
    expected_ = Expected::value;
  }

  void read_more() {
    if (open_.empty()) {
      done_ = at_ == text_.size();
      if (!done_) refuse(at_, "there is text after the document");
    } else if (take(',')) {
      expected_ = open_.back() == '[' ? Expected::value : Expected::name;
    } else if (take(open_.back() == '[' ? ']' : '}')) {
      close();
    } else {
      refuse(at_, "a comma or closing bracket is missing");
    }
  }

  void open(char bracket, Expected first) {
    open_ += bracket;
    expected_ = first;
  }
  void close() {
    open_.pop_back();
    expected_ = Expected::more;
  }

  void read_word() {
    const std::size_t begin = at_;
    while (message::is_alpha(peek())) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const bool known = word == "true" || word == "false" || word == "null";
    if (!known) refuse(begin, "a word is not true, false or null");
  }

  // Reads a number (RFC 8259 section 6), which ends before the first byte that cannot continue it. In "01" the number
  // would end after the zero, so a number that is followed by a digit is refused.
  void read_number() {
    const std::size_t begin = at_;
    take('-');
    bool good = take('0') || take_digits();
    if (take('.')) good = take_digits() && good;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      good = take_digits() && good;
    }
    if (!good || is_digit(peek())) refuse(begin, "a number is malformed");
  }
  bool take_digits() noexcept {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ != begin;
  }

  // Reads a string (RFC 8259 section 7).
  void read_string() {
    const std::size_t begin = at_++;
    while (!syntax_error_) {
      const char* const front = text_.data();
      at_ = static_cast<std::size_t>(skip_clean(front + at_, front + text_.size()) - front);
      if (at_ == text_.size()) return refuse(begin, "a string is not closed");
      if (take('"')) return;
      if (peek() == '\\') {
        read_escape();
      } else if (static_cast<unsigned char>(peek()) < 0x20) {
        refuse(at_, "a control character in a string must be escaped");
      } else {
        const message::Utf8Sequence sequence = message::utf8_sequence(text_.substr(at_));
        if (!sequence.valid) return refuse(at_, "the text is not UTF-8");
        at_ += sequence.size;
      }
    }
  }

  void read_escape() {
    const std::size_t begin = at_++;
    if (message::contains("\"\\/bfnrt", peek())) {
      ++at_;
      return;
    }
    const std::optional<unsigned> unit = read_unit();
    if (!unit) return refuse(begin, "an escape is unknown");
    if (*unit < 0xd800 || *unit > 0xdfff) return;
    const bool paired = *unit < 0xdc00 && take('\\') && is_low_surrogate(read_unit());
    if (!paired) refuse(begin, "an escape is half a surrogate pair");
  }
  // Reads `uXXXX`, the part of an escape after the backslash, and returns its code unit.
  std::optional<unsigned> read_unit() noexcept {
    if (!take('u')) return std::nullopt;
    unsigned unit = 0;
    for (int i = 0; i != 4; ++i, ++at_) {
      const char digit = peek();
      if (!message::is_hex(digit)) return std::nullopt;
      unit = unit * 16 + static_cast<unsigned>(is_digit(digit) ? digit - '0' : message::to_lower(digit) - 'a' + 10);
    }
    return unit;
  }
  static bool is_low_surrogate(std::optional<unsigned> unit) noexcept {
    return unit && *unit >= 0xdc00 && *unit <= 0xdfff;
  }

  void skip_space() noexcept {
    while (at_ != text_.size() && message::contains(" \t\r\n", text_[at_])) ++at_;
  }
  // Returns the next byte; NUL at the end, since NUL is not allowed anywhere in JSON.
  [[nodiscard]] char peek() const noexcept { return at_ == text_.size() ? '\0' : text_[at_]; }
  bool take(char c) noexcept {
    const bool here = at_ != text_.size() && text_[at_] == c;
    at_ += here;
    return here;
  }
  // Records an error unless there is one already.
  void refuse(std::size_t offset, std::string_view why) noexcept {
    if (!syntax_error_) syntax_error_ = SyntaxError{offset, why};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;  // brackets of the open arrays and objects, the innermost last
  Expected expected_ = Expected::value;
  bool done_ = false;
  std::optional<SyntaxError> syntax_error_;
};

}  // namespace

std::optional<SyntaxError> find_syntax_error(std::string_view text) { return Scanner(text).scan(); }

std::string place_of(std::size_t offset, std::string_view text) {
  const std::string_view before = text.substr(0, offset);
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is the beginning
  const auto continues = [](char c) { return (c & 0xc0) == 0x80; };
  const auto column = line.size() - static_cast<std::size_t>(std::ranges::count_if(line, continues)) + 1;
  return "line " + std::to_string(std::ranges::count(before, '\n') + 1) + ", column " + std::to_string(column);
}

}  // namespace volt::http::json
