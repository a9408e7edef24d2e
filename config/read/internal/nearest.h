// SPDX-License-Identifier: MIT

// Finds the known name that an unknown name was probably meant to be.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace volt::config {

// Returns the known name with the smallest edit distance to `name`: insertions, removals and replacements of a byte.
// Returns nothing if the distance exceeds a third of the length of `name`, or if `name` has more than 128 bytes.
[[nodiscard]] std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known);

// Returns "; did you mean X?", or an empty text if no name is near.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string> known);

}  // namespace volt::config
