// What somebody may have meant who wrote a name that is none.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace volt::config {

// The known name that the fewest insertions, removals and replacements of a byte lead to; none if that is more than a
// third of the name, or if the name is too long to be one.
[[nodiscard]] std::optional<std::string> nearest(std::string_view name, std::span<const std::string> known);

// "; did you mean X?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string> known);

}  // namespace volt::config
