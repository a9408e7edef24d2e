// Params: what a route's parameters matched, in the order of their names in the pattern.
//
// Lifetime: the values are views into the path that was looked up. Threads: a value.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "http/message/percent.h"
#include "http/route/pattern.h"

namespace volt::http::route {

struct Params {
  std::size_t count = 0;
  std::array<std::string_view, kParametersMax> values;  // the first `count` of them, still escaped

  // `index` is below `count`.
  [[nodiscard]] std::string_view raw(std::size_t index) const noexcept { return values[index]; }
  // A wildcard's escaped slashes become slashes here: to tell them from separators, split the raw value first.
  [[nodiscard]] std::string decoded(std::size_t index) const { return message::percent_decode(values[index]); }
};

}  // namespace volt::http::route
