// SPDX-License-Identifier: MIT

#include "apps/techempower/fortunes.h"

#include <algorithm>
#include <string_view>

namespace techempower {
namespace {

// The parts of the page's template: the text around all rows, and the text around the values of each row.
constexpr std::string_view kBefore =
    "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>";
constexpr std::string_view kBeforeId = "<tr><td>";
constexpr std::string_view kBeforeMessage = "</td><td>";
constexpr std::string_view kAfterMessage = "</td></tr>";
constexpr std::string_view kAfter = "</table></body></html>";

std::string_view escape(char c) {
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

void append_escaped(std::string_view text, std::string& out) {
  std::size_t copied = 0;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const std::string_view escaped = escape(text[i]);
    if (escaped.empty()) continue;
    out.append(text, copied, i - copied).append(escaped);
    copied = i + 1;
  }
  out.append(text, copied);
}

}  // namespace

std::string fortunes_page(std::vector<Fortune> fortunes) {
  fortunes.push_back({0, "Additional fortune added at request time."});
  std::ranges::sort(fortunes, {}, &Fortune::message);
  std::string page;
  page.reserve(2048);
  page += kBefore;
  for (const Fortune& fortune : fortunes) {
    page.append(kBeforeId).append(std::to_string(fortune.id)).append(kBeforeMessage);
    append_escaped(fortune.message, page);
    page += kAfterMessage;
  }
  return page.append(kAfter);
}

}  // namespace techempower
