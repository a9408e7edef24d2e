// SPDX-License-Identifier: MIT

#include "http/json/append.h"

#include <charconv>
#include <cmath>

#include "http/json/internal/clean_run.h"
#include "http/message/utf8_sequence.h"

namespace volt::http::json {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

void append_escape(char c, std::string& out) {
  constexpr char hex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      break;
  }
  const char escape[] = {'\\', 'u', '0', '0', hex[(c >> 4) & 0xf], hex[c & 0xf]};
  out.append(escape, sizeof escape);
}

// Appends the special byte or sequence at the front of `text` and returns its size in `text`.
std::size_t append_special(std::string_view text, std::string& out) {
  if (static_cast<unsigned char>(text[0]) < 0x80) {
    append_escape(text[0], out);
    return 1;
  }
  const message::Utf8Sequence sequence = message::utf8_sequence(text);
  out += sequence.valid ? text.substr(0, sequence.size) : kReplacement;
  return sequence.size;
}

// Appends a number. The longest texts, -2.2250738585072014e-308 and the like, have 24 characters.
template <class T>
void append_chars(T value, std::string& out, auto... format) {
  char buffer[32];
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, value, format...);
  out.append(buffer, static_cast<std::size_t>(written.ptr - buffer));
}

// Appends a number, or null if it is not finite. Many parsers, such as http/json/reader.h, treat a number without point
// and exponent as an integer: they lose the sign of -0, and refuse an integer that exceeds 64 bits. Therefore -0.0 and
// numbers of 2^63 or more are written with a point or an exponent.
template <class T>
void append_finite(T value, std::string& out) {
  constexpr T whole_end = 0x1p63;
  if (!std::isfinite(value)) {
    out += "null";
  } else if (value == 0 && std::signbit(value)) {
    out += "-0.0";
  } else if (std::abs(value) < whole_end) {
    append_chars(value, out);
  } else {
    append_chars(value, out, std::chars_format::scientific);
  }
}

}  // namespace

void append_string(std::string_view text, std::string& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  out += '"';
  while (true) {
    const char* const special = skip_clean(at, end);
    out.append(at, static_cast<std::size_t>(special - at));
    if (special == end) break;
    at = special + append_special({special, static_cast<std::size_t>(end - special)}, out);
  }
  out += '"';
}

void append_integer(std::int64_t value, std::string& out) { append_chars(value, out); }
void append_integer(std::uint64_t value, std::string& out) { append_chars(value, out); }
void append_number(double value, std::string& out) { append_finite(value, out); }
void append_number(float value, std::string& out) { append_finite(value, out); }

}  // namespace volt::http::json
