// SPDX-License-Identifier: MIT

// Parameters that follow a value, `; name=value; other="quoted"`, and lists whose elements may carry parameters (RFC
// 9110 sections 5.6.1, 5.6.4 and 5.6.6).
//
// Threads: values and pure functions. Lifetime: all views point into the given text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace volt::http::message {

struct Parameter {
  std::string_view name;   // a token; compare it ignoring case
  std::string_view value;  // a token, or the text between the quotes with its escapes
  bool quoted = false;

  bool operator==(const Parameter&) const = default;
};

// Reads parameters one by one, in time linear in the text.
class Parameters {
 public:
  // `text` must begin at a semicolon or at the white space before it.
  explicit Parameters(std::string_view text) noexcept : rest_(text) {}

  // Returns the next parameter. Returns nullopt at the end, and from the first malformed parameter on. Empty parameters
  // (`;;`) are skipped.
  std::optional<Parameter> next() noexcept;
  bool malformed() const noexcept { return malformed_; }
  // Returns the text that next() has not read yet.
  std::string_view rest() const noexcept { return rest_; }

 private:
  std::optional<Parameter> fail() noexcept;

  std::string_view rest_;
  bool malformed_ = false;
};

// Returns the content of a quoted string without its escapes: each `\x` becomes x.
std::string without_escapes(std::string_view quoted);

// Removes the first element of a comma list from the front of `list` and returns it, trimmed; it may be empty. A comma
// inside quotes does not separate elements. A quoted string that is not closed extends to the end of the list.
std::string_view take_quoted_list_element(std::string_view& list) noexcept;

}  // namespace volt::http::message
