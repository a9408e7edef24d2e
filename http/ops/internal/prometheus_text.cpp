// SPDX-License-Identifier: MIT

#include "http/ops/internal/prometheus_text.h"

#include <charconv>

namespace volt::http::ops {
namespace {

void append_number(std::string& out, auto number) {
  char digits[32];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

void append_label_value(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
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
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void PrometheusText::begin_sample(Labels labels, std::string_view suffix) {
  text_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [name, value] : labels) {
    if (value.empty()) continue;
    text_ += before;
    before = ',';
    text_.append(name).append("=\"");
    append_label_value(text_, value);
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
