// SPDX-License-Identifier: MIT

#include "http/message/quality_list.h"

#include <algorithm>
#include <optional>

#include "http/message/ascii.h"
#include "http/message/parameters.h"

namespace volt::http::message {
namespace {

// Returns whether `text` is a coding or a language (a token), or a media range (two tokens and a slash).
constexpr bool is_range(std::string_view text) noexcept {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_token(text);
  return is_token(text.substr(0, slash)) && is_token(text.substr(slash + 1));
}

// Parses qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ), in thousandths.
std::optional<int> parse_quality(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5 || text.front() < '0' || text.front() > '1') return std::nullopt;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int q = (text.front() - '0') * kFullQuality;
  int place = kFullQuality / 10;
  for (const char c : text.substr(std::min<std::size_t>(text.size(), 2))) {
    if (!is_digit(c)) return std::nullopt;
    q += (c - '0') * place;
    place /= 10;
  }
  if (q > kFullQuality) return std::nullopt;
  return q;
}

std::optional<Weighted> parse_element(std::string_view element) noexcept {
  const std::size_t semicolon = std::min(element.find(';'), element.size());
  if (!is_range(trim_ows(element.substr(0, semicolon)))) return std::nullopt;

  Weighted weighted{.value = element};
  bool weight_seen = false;
  Parameters parameters(element.substr(semicolon));
  std::size_t end = semicolon;  // end of the parameters read so far
  while (const auto parameter = parameters.next()) {
    if (equal_ignoring_case(parameter->name, "q")) {
      const auto q = parse_quality(parameter->value);
      if (weight_seen || parameter->quoted || !q) return std::nullopt;
      weighted = {.value = trim_ows(element.substr(0, end)), .q = *q};
      weight_seen = true;
    }
    end = element.size() - parameters.rest().size();
  }
  if (parameters.malformed()) return std::nullopt;
  return weighted;
}

}  // namespace

void QualityList::add(std::string_view line) noexcept {
  while (!line.empty() && size_ < kElementsMax) {
    const std::string_view element = take_quoted_list_element(line);
    if (const auto weighted = parse_element(element)) elements_[size_++] = *weighted;
  }
}

}  // namespace volt::http::message
