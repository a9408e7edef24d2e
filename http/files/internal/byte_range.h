// Range requests (RFC 9110 section 14): which bytes of a representation a Range field selects.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::files {

// The half-open range [begin, begin + bytes).
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;

  constexpr std::uint64_t end() const noexcept { return begin + bytes; }
  bool operator==(const ByteRange&) const = default;
};

struct RangeSelection {
  enum class Kind : std::uint8_t {
    whole,          // answer as if there were no Range field
    ranges,         // 206
    unsatisfiable,  // 416
  };
  Kind kind = Kind::whole;
  std::vector<ByteRange> ranges;  // not empty with Kind::ranges; disjoint, within the representation, none empty

  bool operator==(const RangeSelection&) const = default;
};

inline constexpr std::size_t kRangesMax = 16;         // beyond it the whole answer costs less than the parts
inline constexpr std::uint64_t kRangeGapBytes = 128;  // about what the head of a part takes (section 15.3.7.2)

// `field`: the value of Range. Of a unit that is not `bytes` (case-blind), malformed or of more than kRangesMax ranges:
// whole. Ranges that overlap, touch or lie within kRangeGapBytes become one, at the place of the first of them; the
// others keep the client's order. Numbers past 2^64 - 1 count as that. An empty representation is always whole: it has
// no range to name, and clients that ask for the first bytes of everything are better served by 200 than by 416.
RangeSelection select_ranges(std::string_view field, std::uint64_t size_bytes);

// The value of Content-Range (section 14.4): `bytes 0-4/11`, and `bytes */11` in a 416. The range is not empty.
std::string content_range(const ByteRange& range, std::uint64_t size_bytes);
std::string unsatisfied_content_range(std::uint64_t size_bytes);

}  // namespace volt::http::files
