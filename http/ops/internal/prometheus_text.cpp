// SPDX-License-Identifier: MIT

#include "http/ops/internal/prometheus_text.h"

#include <charconv>
#include <cmath>
#include <concepts>

namespace volt::http::ops {
namespace {

// std::to_chars() writes "-nan", which Prometheus does not read.
void append_number(std::string& out, auto number) {
  if constexpr (std::floating_point<decltype(number)>) {
    if (std::isnan(number)) {
      out += "NaN";
      return;
    }
  }
  char digits[32];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

// Escapes line breaks, and with a backslash the characters of `escaped`.
void append_escaped(std::string& out, std::string_view text, std::string_view escaped) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (escaped.contains(c)) out += '\\';
    out += c;
  }
}

}  // namespace

std::string number_text(double number) {
  std::string text;
  append_number(text, number);
  return text;
}

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_.append("# HELP ").append(name).append(" ");
  append_escaped(text_, help, "\\");
  text_ += '\n';
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void PrometheusText::begin_sample(std::span<const Label> labels, std::string_view suffix) {
  text_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [name, value] : labels) {
    if (value.empty()) continue;
    text_ += before;
    before = ',';
    text_.append(name).append("=\"");
    append_escaped(text_, value, "\"\\");
    text_ += '"';
  }
  text_ += before == ',' ? "} " : " ";
}

void PrometheusText::end_sample(std::uint64_t value) {
  append_number(text_, value);
  text_ += '\n';
}

void PrometheusText::end_sample(double value) {
  append_number(text_, value);
  text_ += '\n';
}

}  // namespace volt::http::ops
