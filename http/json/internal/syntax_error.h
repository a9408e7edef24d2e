// SPDX-License-Identifier: MIT

// SyntaxError: the position at which a text stops being valid JSON (RFC 8259), and the reason. It is found in a second
// pass over a text that simdjson has refused, because simdjson reports no position, and its reason for an error differs
// between its versions.
//
// Threads: pure functions.
// Bounds: one pass, without recursion; one byte of memory for each open array and object.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::json {

struct SyntaxError {
  std::size_t offset;        // in bytes, of the wrong token; the size of the text if it ends too early
  std::string_view message;  // static text: "a comma or closing bracket is missing"
};

// Returns the first error; nullopt if the text is JSON. The range of numbers and the depth are not checked.
std::optional<SyntaxError> find_syntax_error(std::string_view text);

// Returns "line 3, column 14": both are counted from 1, columns in characters.
std::string place_of(std::size_t offset, std::string_view text);

}  // namespace volt::http::json
