// SPDX-License-Identifier: MIT

// Writes JSON with one member or element a line, indented by two spaces. The order of members, numbers and texts do not
// change.
//
// Threads: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace volt::http::testing {

// `json` must be valid JSON.
[[nodiscard]] std::string json_lines(std::string_view json);

}  // namespace volt::http::testing
