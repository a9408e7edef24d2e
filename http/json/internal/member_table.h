// SPDX-License-Identifier: MIT

// Maps an object's keys to the members of an aggregate: the part of reading that does not depend on the members' types.
//
// Threads: constants and pure functions. Lifetime: a table is static.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/json/reader.h"

namespace volt::http::json {

struct MemberTable {
  const std::string_view* names;
  std::size_t count;  // at most 64, see reflect/aggregate.h

  // Returns the index of the member called `key`, or `count` if there is none. Members mostly arrive in order, so the
  // caller passes the expected index as `guess`, and that name is compared first.
  [[nodiscard]] std::size_t find(std::string_view key, std::size_t guess) const noexcept;
};

// Records which members of one object have been read.
class MembersSeen {
 public:
  // Records a member. Returns false if it was recorded before.
  bool add(std::size_t member) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << member;
    const bool fresh = (bits_ & bit) == 0;
    bits_ |= bit;
    return fresh;
  }
  [[nodiscard]] bool contains(std::size_t member) const noexcept { return (bits_ >> member & 1) != 0; }

 private:
  std::uint64_t bits_ = 0;
};

// These functions add an error about the next member, and return false. But check_unknown() adds no error and returns
// true if the options ignore unknown members.
[[nodiscard]] bool check_unknown(Reader& reader);
bool fail_duplicate(Reader& reader);
// Adds an error for the missing member `key`, and returns whether further errors may be added.
bool fail_missing(Reader& reader, std::string_view key, std::string_view expected);

}  // namespace volt::http::json
