// SPDX-License-Identifier: MIT

#include "config/read/internal/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace volt::config {
namespace {

constexpr std::size_t kNameBytesMax = 128;

// Returns the Levenshtein distance. Keeps one row of the matrix at a time.
std::size_t edits_between(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i != from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j != to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known) {
  if (name.size() > kNameBytesMax) return std::nullopt;
  std::optional<std::string> best;
  std::size_t fewest = name.size() / 3 + 1;
  for (const std::string& candidate : known) {
    const std::size_t edits = edits_between(name, candidate);
    if (edits >= fewest) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string> known) {
  const std::optional<std::string> meant = nearest(name, known);
  return meant ? "; did you mean " + *meant + "?" : "";
}

}  // namespace volt::config
