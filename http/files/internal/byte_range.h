// SPDX-License-Identifier: MIT

// Range requests (RFC 9110 section 14): determines the bytes of a representation that a Range field selects.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::files {

// A range of bytes from `begin` up to, but not including, `begin + bytes`.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;

  constexpr std::uint64_t end() const noexcept { return begin + bytes; }
  bool operator==(const ByteRange&) const = default;
};

struct RangeSelection {
  enum class Kind : std::uint8_t {
    whole,          // respond as if there were no Range field
    ranges,         // 206
    unsatisfiable,  // 416
  };
  Kind kind = Kind::whole;
  std::vector<ByteRange> ranges;  // with Kind::ranges at least one; disjoint, not empty, within the representation

  bool operator==(const RangeSelection&) const = default;
};

inline constexpr std::size_t kRangesMax = 16;         // with more ranges, the whole content costs less than the parts
inline constexpr std::uint64_t kRangeGapBytes = 128;  // roughly the size of a part's head (section 15.3.7.2)

// Evaluates `field`, the value of Range. The result is `whole` if the unit is not `bytes` (case-insensitive), if the
// value is malformed, or if it lists more than kRangesMax ranges.
//
// Ranges that overlap, touch or lie within kRangeGapBytes of each other are joined. A joined range takes the place of
// the first of its parts; the other ranges keep the client's order. A number that exceeds 64 bits is treated as the
// largest 64-bit number.
//
// An empty representation is always `whole`: no range of it could be sent, and a client that always requests the first
// bytes can use a 200 better than a 416.
RangeSelection select_ranges(std::string_view field, std::uint64_t size_bytes);

// Returns the value of Content-Range (section 14.4): `bytes 0-4/11`, or `bytes */11` in a 416. `range` must not be
// empty.
std::string content_range(const ByteRange& range, std::uint64_t size_bytes);
std::string unsatisfied_content_range(std::uint64_t size_bytes);

}  // namespace volt::http::files
