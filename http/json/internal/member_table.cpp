// SPDX-License-Identifier: MIT

#include "http/json/internal/member_table.h"

namespace volt::http::json {

std::size_t MemberTable::find(std::string_view key, std::size_t guess) const noexcept {
  if (guess < count && names[guess] == key) return guess;
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == key) return i;
  }
  return count;
}

bool check_unknown(Reader& reader) {
  if (reader.options().unknown_fields == UnknownFields::ignore) return true;
  return reader.fail(JsonError::Kind::unknown, "there is no member of this name");
}

bool fail_duplicate(Reader& reader) {
  return reader.fail(JsonError::Kind::duplicate, "expected this member once, found it twice");
}

bool fail_missing(Reader& reader, std::string_view key, std::string_view expected) {
  const std::size_t since = reader.error_count();
  std::string detail = "expected ";
  detail.append(expected).append(", but the member is missing");
  reader.fail(JsonError::Kind::missing, std::move(detail));
  return reader.within(key, since);
}

}  // namespace volt::http::json
