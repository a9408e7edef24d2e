// SPDX-License-Identifier: MIT

// SyntaxError: the position where a text ceases to be JSON (RFC 8259), and the reason. It is found in a second pass
// over texts that simdjson refuses, since simdjson reports no position and not always the same reason.
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

// Returns the first error; nullopt if the text is JSON, regardless of its numbers' range and its depth.
std::optional<SyntaxError> find_syntax_error(std::string_view text);

// Returns "line 3, column 14": both are counted from 1, columns in characters.
std::string place_of(std::size_t offset, std::string_view text);

}  // namespace volt::http::json
