// SPDX-License-Identifier: MIT

#include "http/middleware/internal/cache_key.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <utility>

#include "http/coding/content_coding.h"
#include "http/message/ascii.h"
#include "http/message/percent.h"
#include "http/message/quality_list.h"

namespace volt::http::middleware {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), message::to_lower);
  return lower;
}

struct QueryParameter {
  std::string name;          // decoded
  std::size_t position = 0;  // in the query, because the order of values with one name has a meaning
  std::string_view text;     // as received, `name=value`

  auto operator<=>(const QueryParameter&) const = default;
};

std::vector<QueryParameter> chosen_parameters(std::string_view query,
                                              const std::optional<std::vector<std::string>>& chosen) {
  std::vector<QueryParameter> parameters;
  while (!query.empty()) {
    const std::string_view text = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(text.size() + 1, query.size()));
    std::string name = message::form_decode(text.substr(0, text.find('=')));
    if (!chosen || std::ranges::find(*chosen, name) != chosen->end()) {
      parameters.push_back({.name = std::move(name), .position = parameters.size(), .text = text});
    }
  }
  std::ranges::sort(parameters);
  return parameters;
}

// Appends a segment of a path, and encodes only what cannot stand for itself in one (RFC 3986 section 3.3).
void append_segment(std::string_view segment, std::string& out) {
  constexpr std::string_view kPlain = "-._~!$&'()*+,;=:@";
  for (const char& c : segment) {
    if (message::is_alpha(c) || message::is_digit(c) || kPlain.contains(c)) {
      out += c;
    } else {
      message::append_percent_encoded({&c, 1}, out);
    }
  }
}

bool ignores_case(std::string_view name) noexcept {
  constexpr std::string_view kFields[] = {"accept", "accept-charset", "accept-language"};
  return std::ranges::any_of(kFields,
                             [&](std::string_view field) { return message::equal_ignoring_case(name, field); });
}

// The codings that a client accepts, in the order of the enumerators, with their weights.
std::string accepted_codings(const Request& request) {
  std::vector<std::pair<std::string_view, int>> accepted;
  for (const message::Weighted& element : message::QualityList(request.headers().all("accept-encoding"))) {
    const auto coding = coding::content_coding_from_token(element.value);
    if (coding && *coding != coding::ContentCoding::deflate) {
      accepted.emplace_back(coding::to_string(*coding), element.q);
    } else if (element.value == "*") {
      accepted.emplace_back("*", element.q);
    }
  }
  std::ranges::sort(accepted);
  std::string text;
  for (const auto& [name, q] : accepted) text.append(name).append("=").append(std::to_string(q)).append(",");
  return text;
}

// The lines of a field as one list, without white space around its commas.
std::string normalized(const Request& request, std::string_view name) {
  if (message::equal_ignoring_case(name, "accept-encoding")) return accepted_codings(request);
  std::string text;
  for (std::string_view line : request.headers().all(name)) {
    do {
      text.append(message::take_list_element(line)).append(",");
    } while (!line.empty());
  }
  return ignores_case(name) ? lower_case(text) : text;
}

}  // namespace

std::string uri_key(const Request& request, const std::optional<std::vector<std::string>>& chosen) {
  std::string key = request.secure() ? "https://" : "http://";
  key.append(lower_case(request.host())).append(request.path());
  char separator = '?';
  for (const QueryParameter& parameter : chosen_parameters(request.query(), chosen)) {
    key.append(1, std::exchange(separator, '&')).append(parameter.text);
  }
  return key;
}

std::string canonical_path(std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  std::string canonical;
  while (!path.empty()) {
    const std::string_view segment = path.substr(1, path.find('/', 1) - 1);
    path.remove_prefix(1 + segment.size());
    canonical += '/';
    append_segment(message::percent_decode(segment), canonical);
  }
  if (canonical.size() > 1 && canonical.ends_with('/')) canonical.pop_back();
  return canonical;
}

std::string vary_key(const Request& request, const std::vector<std::string>& names) {
  std::string key;
  for (const std::string& name : names) {
    key.append(name);
    // A missing field differs from an empty one: without Accept-Encoding, all codings are acceptable.
    if (request.headers().contains(name)) key.append(": ").append(normalized(request, name));
    key.append("\n");
  }
  return key;
}

}  // namespace volt::http::middleware
