// SPDX-License-Identifier: MIT

// Finds the value of an input element of an HTML page, to send it back as a browser would.
//
// Threads: a pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace volt::http::testing {

// Returns the value, with its character references decoded, of the first <input> with this name; empty if it has none.
// Decodes numeric references of ASCII and those that escape text in attributes: amp, lt, gt, quot, apos. Does not know
// comments or scripts: what looks like an element in them is one.
[[nodiscard]] std::optional<std::string> input_value(std::string_view html, std::string_view name);

}  // namespace volt::http::testing
