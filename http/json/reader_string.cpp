// The strings of a document: RFC 8259 section 7.
#include "http/json/clean_run.h"
#include "http/json/reader.h"

namespace volt::http::json {
namespace {

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

void append_utf8(std::uint32_t code_point, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3f)); };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xc0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xe0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_high_surrogate(std::uint32_t unit) noexcept { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low_surrogate(std::uint32_t unit) noexcept { return unit >= 0xdc00 && unit <= 0xdfff; }

// What stands for itself after a backslash, or the control character meant; 0 for no escape.
char simple_escape(char c) noexcept {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

}  // namespace

// A string without escapes, by far most of them, is a view into the text.
bool Reader::take_string(std::string_view& value) {
  const char* const run = ++at_;
  at_ = skip_clean<NonAscii::clean>(at_, end_);
  if (at_ != end_ && *at_ == '"') {
    value = {run, at_++};
    return true;
  }
  if (!take_rest_unescaped(run)) return false;
  value = unescaped_;
  return true;
}

bool Reader::take_rest_unescaped(const char* run) {
  unescaped_.clear();
  while (true) {
    unescaped_.append(run, at_);
    if (take('"')) return true;
    if (!take('\\')) {
      return fail_syntax(at_ == end_ ? "expected '\"' after a string" : "a control character must be escaped");
    }
    if (!take_escape()) return false;
    run = at_;
    at_ = skip_clean<NonAscii::clean>(at_, end_);
  }
}

bool Reader::take_escape() {
  if (take('u')) return take_unicode_escape();
  const char c = at_ == end_ ? '\0' : simple_escape(*at_);
  if (c == 0) return fail_syntax("unknown escape");
  unescaped_ += c;
  ++at_;
  return true;
}

// Half a surrogate pair is no character, and has no UTF-8: refused, as RFC 8259 section 8.2 lets us.
bool Reader::take_unicode_escape() {
  std::uint32_t unit = 0;
  if (!take_code_unit(unit)) return false;
  if (is_low_surrogate(unit)) return fail_syntax("the second half of a surrogate pair stands alone");
  if (is_high_surrogate(unit)) {
    std::uint32_t low = 0;
    if (!take('\\') || !take('u')) return fail_syntax("the second half of a surrogate pair is missing");
    if (!take_code_unit(low)) return false;
    if (!is_low_surrogate(low)) return fail_syntax("the second half of a surrogate pair is none");
    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }
  append_utf8(unit, unescaped_);
  return true;
}

bool Reader::take_code_unit(std::uint32_t& unit) {
  unit = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const int digit = at_ == end_ ? -1 : hex_value(*at_);
    if (digit < 0) return fail_syntax("expected four hexadecimal digits after \\u");
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return true;
}

}  // namespace volt::http::json
