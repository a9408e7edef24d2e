// SPDX-License-Identifier: MIT

// read_members: reads a JSON object of JOSE, in which no member may be repeated (RFC 7515 section 4, RFC 7517 section
// 4, RFC 7519 section 4), not even one that is skipped.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "http/json/reader.h"

namespace volt::http::auth {

// A small depth suffices, because the objects contain lists and objects but are not nested deeply in practice.
inline constexpr JsonOptions kJoseJson{.depth_max = 16};

// Calls read_member(reader, key), which reads or skips the value, for each member of the object that is the reader's
// next value. Returns false if it is not an object, if a key is repeated, or if read_member returned false.
template <class ReadMember>
bool read_members(json::Reader& reader, ReadMember read_member) {
  std::unordered_set<std::string> seen;
  std::string_view key;
  json::Step step = reader.open_object(key);
  for (; step == json::Step::item; step = reader.next_member(key)) {
    const auto [name, is_first] = seen.emplace(key);
    if (!is_first || !read_member(reader, *name)) return false;
  }
  return step == json::Step::end;
}

}  // namespace volt::http::auth
