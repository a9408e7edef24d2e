// Parameters behind a value, `; name=value; other="quoted"`, and lists whose elements may carry them
// (RFC 9110 sections 5.6.1, 5.6.4 and 5.6.6).
//
// Threads: values and pure functions. Lifetime: all views lie in the text that was given.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace volt::http::message {

struct Parameter {
  std::string_view name;   // a token; compare with ignored case
  std::string_view value;  // a token, or what lies between the quotes with its escapes
  bool quoted = false;

  bool operator==(const Parameter&) const = default;
};

// Reads parameters one after the other, in time linear in the text.
class Parameters {
 public:
  // `text` begins at a semicolon or the white space before it.
  explicit Parameters(std::string_view text) noexcept : rest_(text) {}

  // The next one; empty at the end, and from the first that is malformed on. Empty parameters (`;;`) are passed over.
  std::optional<Parameter> next() noexcept;
  bool malformed() const noexcept { return malformed_; }
  // What next() has not looked at.
  std::string_view rest() const noexcept { return rest_; }

 private:
  std::optional<Parameter> fail() noexcept;

  std::string_view rest_;
  bool malformed_ = false;
};

// A quoted string's content without its escapes: each `\x` is x.
std::string without_escapes(std::string_view quoted);

// Takes the next element of a comma list off the front of `list`, trimmed, perhaps empty. A comma inside quotes splits
// nothing; quotes that are not closed reach to the end of the list.
std::string_view take_quoted_list_element(std::string_view& list) noexcept;

}  // namespace volt::http::message
