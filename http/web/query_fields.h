// SPDX-License-Identifier: MIT

// Parses the fields of a query or of an application/x-www-form-urlencoded body: `a=1&b=x+y&b=%26` (WHATWG URL, section
// 5.1).
//
// Threads: pure functions. Lifetime: the fields own their text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace volt::http::web {

inline constexpr std::size_t kQueryFieldsMax = 256;

struct QueryField {
  std::string name;  // May be empty.
  std::string value;

  bool operator==(const QueryField&) const = default;
};

enum class QueryError : std::uint8_t { too_many_fields };

constexpr std::string_view to_sentence(QueryError error) noexcept {
  switch (error) {
    case QueryError::too_many_fields:
      return "too many fields";
  }
  std::unreachable();
}

// Returns the fields in order, including repeated names. The text is split first and then decoded, so an escaped '&' or
// '=' is part of a name or value. '+' is a space, and malformed escapes are kept. A pair without '=' has an empty
// value; an empty pair is skipped. Bytes are not checked to be UTF-8 and may be NUL.
std::expected<std::vector<QueryField>, QueryError> parse_query_fields(std::string_view text,
                                                                      std::size_t fields_max = kQueryFieldsMax);

}  // namespace volt::http::web
