// SyntaxError: where a text ceases to be JSON (RFC 8259), and why. A second look, at texts that simdjson has refused: it
// says neither where, nor always the same why.
//
// Threads: pure functions.
// Bounds: one pass, without recursion; a byte of memory for each array and object that is open.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::json {

struct SyntaxError {
  std::size_t offset;        // in bytes, of the token that is wrong; the text's size if it ends too early
  std::string_view message;  // static text: "a comma or closing bracket is missing"
};

// The first; none if the text is JSON, whatever its numbers and its depth.
std::optional<SyntaxError> find_syntax_error(std::string_view text);

// "line 3, column 14": both from 1, columns in characters.
std::string place_of(std::size_t offset, std::string_view text);

}  // namespace volt::http::json
