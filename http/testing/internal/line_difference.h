// SPDX-License-Identifier: MIT

// Shows two texts as a difference of lines, for people: `-` begins a line of the first text only, `+` one of the second
// only, and a few lines around each change are shown.
//
// Threads: a pure function. Bounds: a difference of more than kComparedLinesMax lines on one side is shown as one
// change; the result has at most kShownLinesMax lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace volt::http::testing {

inline constexpr std::size_t kComparedLinesMax = 2'000;
inline constexpr std::size_t kShownLinesMax = 80;

// Returns the difference; empty if the texts are equal.
[[nodiscard]] std::string line_difference(std::string_view first, std::string_view second);

}  // namespace volt::http::testing
