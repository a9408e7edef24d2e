// SPDX-License-Identifier: MIT

#include "http/html/internal/escape.h"

#include <array>
#include <cstddef>

#include "http/html/internal/place.h"
#include "http/message/ascii.h"

namespace volt::http::html {
namespace {

constexpr std::string_view kNoAddress = "about:invalid";

constexpr std::string_view reference_to(char c) noexcept {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

constexpr message::ByteSet kEscaped([](char c) { return !reference_to(c).empty(); });

bool is_safe_address(std::string_view address) noexcept {
  const std::size_t end = address.find_first_of(":/?#");
  return end == std::string_view::npos || address[end] != ':' || is_safe_scheme(address.substr(0, end));
}

}  // namespace

void append_text(std::string_view text, std::string& out) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const clean = at;
    while (at != end && !kEscaped.contains(*at)) ++at;
    out.append(clean, static_cast<std::size_t>(at - clean));
    if (at != end) out += reference_to(*at++);
  }
}

void append_address(std::string_view address, std::string& out) {
  append_text(is_safe_address(address) ? address : kNoAddress, out);
}

void append_script_json(std::string_view json, std::string& out) {
  constexpr std::string_view line_separator = "\xe2\x80\xa8";
  constexpr std::string_view paragraph_separator = "\xe2\x80\xa9";
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (json[i] == '>') {
      out += "\\u003e";
    } else if (json[i] == '&') {
      out += "\\u0026";
    } else if (rest.starts_with(line_separator) || rest.starts_with(paragraph_separator)) {
      out += rest[2] == line_separator[2] ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
}

}  // namespace volt::http::html
