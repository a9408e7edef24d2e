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

bool ignores_case(std::string_view name) noexcept {
  constexpr std::string_view kAccept = "accept";
  return message::equal_ignoring_case(name.substr(0, kAccept.size()), kAccept);
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
