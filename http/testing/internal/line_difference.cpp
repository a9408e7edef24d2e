// SPDX-License-Identifier: MIT

#include "http/testing/internal/line_difference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace volt::http::testing {
namespace {

using Lines = std::vector<std::string_view>;

struct DiffLine {
  char sign;  // ' ', '-' or '+'
  std::string_view text;
};

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Appends the difference of two ranges of lines, by their longest common subsequence.
void append_changes(const Lines& first, const Lines& second, std::vector<DiffLine>& out) {
  const std::size_t width = second.size() + 1;
  // common[i * width + j]: length of the longest common subsequence of first[i..] and second[j..]
  std::vector<std::uint16_t> common((first.size() + 1) * width);
  for (std::size_t i = first.size(); i-- > 0;) {
    for (std::size_t j = second.size(); j-- > 0;) {
      const std::size_t at = i * width + j;
      common[at] = first[i] == second[j] ? static_cast<std::uint16_t>(common[at + width + 1] + 1)
                                         : std::max(common[at + width], common[at + 1]);
    }
  }
  std::size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    if (i < first.size() && j < second.size() && first[i] == second[j]) {
      out.push_back({' ', first[i++]});
      ++j;
    } else if (j == second.size() || (i < first.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      out.push_back({'-', first[i++]});
    } else {
      out.push_back({'+', second[j++]});
    }
  }
}

std::vector<DiffLine> compare(const Lines& first, const Lines& second) {
  const std::size_t shorter = std::min(first.size(), second.size());
  std::size_t begin = 0;
  while (begin < shorter && first[begin] == second[begin]) ++begin;
  std::size_t end = 0;
  while (end < shorter - begin && first[first.size() - 1 - end] == second[second.size() - 1 - end]) ++end;

  const Lines ours(first.begin() + static_cast<std::ptrdiff_t>(begin), first.end() - static_cast<std::ptrdiff_t>(end));
  const Lines theirs(second.begin() + static_cast<std::ptrdiff_t>(begin),
                     second.end() - static_cast<std::ptrdiff_t>(end));
  std::vector<DiffLine> all;
  for (std::size_t i = 0; i < begin; ++i) all.push_back({' ', first[i]});
  if (std::max(ours.size(), theirs.size()) <= kComparedLinesMax) {
    append_changes(ours, theirs, all);
  } else {
    for (const std::string_view line : ours) all.push_back({'-', line});
    for (const std::string_view line : theirs) all.push_back({'+', line});
  }
  for (std::size_t i = first.size() - end; i < first.size(); ++i) all.push_back({' ', first[i]});
  return all;
}

}  // namespace

std::string line_difference(std::string_view first, std::string_view second) {
  constexpr std::size_t kContext = 3;
  const std::vector<DiffLine> all = compare(lines_of(first), lines_of(second));
  std::vector<bool> shown(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].sign == ' ') continue;
    const std::size_t from = i < kContext ? 0 : i - kContext;
    for (std::size_t near = from; near < std::min(all.size(), i + kContext + 1); ++near) shown[near] = true;
  }
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!shown[i]) continue;
    if (count++ == kShownLinesMax) return text.append("  (more differences follow)\n");
    if (i > 0 && !shown[i - 1]) text.append("  ...\n");
    text.append(1, all[i].sign).append(" ").append(all[i].text).append("\n");
  }
  return text;
}

}  // namespace volt::http::testing
