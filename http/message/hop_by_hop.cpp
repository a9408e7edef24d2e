// SPDX-License-Identifier: MIT

#include "http/message/hop_by_hop.h"

#include <algorithm>
#include <array>

#include "http/message/ascii.h"

namespace volt::http::message {
namespace {

struct LessIgnoringCase {
  bool operator()(std::string_view a, std::string_view b) const noexcept {
    return std::ranges::lexicographical_compare(a, b, {}, to_lower, to_lower);
  }
};

// Returns whether `option` is an option of the connection itself, which most messages name, rather than a field.
bool is_well_known_option(std::string_view option) noexcept {
  return equal_ignoring_case(option, "close") || is_connection_field(option);
}

std::vector<std::string_view> sorted_names(const Fields& fields) {
  std::vector<std::string_view> names;
  names.reserve(fields.size());
  for (const Field& field : fields) names.push_back(field.name);
  std::ranges::sort(names, LessIgnoringCase());
  names.erase(std::ranges::unique(names, equal_ignoring_case).begin(), names.end());
  return names;
}

}  // namespace

bool is_connection_field(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 10> kNames = {
      "connection", "content-length",    "expect",  "keep-alive", "proxy-authorization", "proxy-connection",
      "te",         "transfer-encoding", "trailer", "upgrade",
  };
  return std::ranges::any_of(kNames, [&](std::string_view own) { return equal_ignoring_case(name, own); });
}

// Looks each option up among the names of the message, since a message may have thousands of options, but only a
// limited number of fields.
EndToEndFields::EndToEndFields(const Fields& fields) {
  std::vector<std::string_view> names;
  std::vector<bool> named;
  for (std::string_view options : fields.all("connection")) {
    while (!options.empty()) {
      const std::string_view option = take_list_element(options);
      if (option.empty() || is_well_known_option(option)) continue;
      if (names.empty()) {
        names = sorted_names(fields);
        named.resize(names.size());
      }
      const auto found = std::ranges::lower_bound(names, option, LessIgnoringCase());
      if (found != names.end() && equal_ignoring_case(*found, option)) {
        named[static_cast<std::size_t>(found - names.begin())] = true;
      }
    }
  }
  for (std::size_t i = 0; i != names.size(); ++i) {
    if (named[i]) hop_by_hop_.push_back(names[i]);
  }
}

bool EndToEndFields::contains(std::string_view name) const noexcept {
  return !is_connection_field(name) && !std::ranges::binary_search(hop_by_hop_, name, LessIgnoringCase());
}

}  // namespace volt::http::message
