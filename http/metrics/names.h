// SPDX-License-Identifier: MIT

// The rules for names of metrics and labels (Prometheus' data model, and what `promtool check metrics` complains of).
//
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace volt::http::metrics {

[[nodiscard]] constexpr bool is_name(std::string_view text, bool colon) noexcept {
  const auto letter = [=](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colon && c == ':');
  };
  if (text.empty() || !letter(text.front())) return false;
  return std::ranges::all_of(text, [=](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

[[nodiscard]] constexpr bool valid_metric_name(std::string_view name) noexcept { return is_name(name, true); }
// Names that begin with __ belong to Prometheus.
[[nodiscard]] constexpr bool valid_label_name(std::string_view name) noexcept {
  return is_name(name, false) && !name.starts_with("__");
}

// Returns why a metric of that type must not have that name, which is a valid one; empty if it may.
[[nodiscard]] inline std::string mistake_in_name(std::string_view name, std::string_view type) {
  if (type == "counter" && !name.ends_with("_total")) return "the name of a counter must end in _total";
  if (type != "counter" && name.ends_with("_total")) return "only the name of a counter may end in _total";
  for (const std::string_view suffix : {"_bucket", "_count", "_sum"}) {
    if (name.ends_with(suffix)) return "names that end in " + std::string(suffix) + " belong to histograms";
  }
  return {};
}

}  // namespace volt::http::metrics
