// SPDX-License-Identifier: MIT

#include "http/files/internal/byte_range.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/internal/byte_range");
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

RangeSelection ranges(std::vector<ByteRange> selected) { return {RangeSelection::Kind::ranges, std::move(selected)}; }
const RangeSelection kWhole{RangeSelection::Kind::whole, {}};
const RangeSelection kUnsatisfiable{RangeSelection::Kind::unsatisfiable, {}};

// Returns `bytes=0-0,1000-1000,2000-2000,...`: far enough apart to stay separate.
std::string single_bytes(std::size_t count) {
  std::string field = "bytes=";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) field += ',';
    field += std::to_string(i * 1000) + "-" + std::to_string(i * 1000);
  }
  return field;
}

}  // namespace

TEST_CASE("one range selects its existing bytes, RFC 9110 sections 14.1.1 and 14.1.2") {
  const struct {
    std::string_view why, field;
    RangeSelection want;
    std::uint64_t size = 10;
  } cases[] = {
      {"from the first", "bytes=0-4", ranges({{0, 5}})},
      {"one byte", "bytes=0-0", ranges({{0, 1}})},
      {"in the middle", "bytes=3-7", ranges({{3, 5}})},
      {"the last byte", "bytes=9-9", ranges({{9, 1}})},
      {"all of it", "bytes=0-9", ranges({{0, 10}})},
      {"one byte too many", "bytes=0-10", ranges({{0, 10}})},
      {"far too many", "bytes=5-1000", ranges({{5, 5}})},
      {"open", "bytes=2-", ranges({{2, 8}})},
      {"open from the first", "bytes=0-", ranges({{0, 10}})},
      {"open from the last", "bytes=9-", ranges({{9, 1}})},
      {"suffix", "bytes=-3", ranges({{7, 3}})},
      {"suffix of one", "bytes=-1", ranges({{9, 1}})},
      {"suffix of all", "bytes=-10", ranges({{0, 10}})},
      {"suffix of more", "bytes=-11", ranges({{0, 10}})},
      {"leading zeros", "bytes=0000000000000000000000000000002-003", ranges({{2, 2}})},
      {"white space before it is accepted", "bytes= 3-7", ranges({{3, 5}})},
      {"a file of one byte", "bytes=0-0", ranges({{0, 1}}), 1},

      {"14.1.2: after the end", "bytes=10-", kUnsatisfiable},
      {"both after the end", "bytes=10-11", kUnsatisfiable},
      {"far after the end", "bytes=100-1000", kUnsatisfiable},
      {"suffix of nothing", "bytes=-0", kUnsatisfiable},
      {"suffix of nothing, long", "bytes=-000", kUnsatisfiable},
      {"two that are both after the end", "bytes=10-, 20-30", kUnsatisfiable},

      {"2^63 - 1", "bytes=0-9223372036854775807", ranges({{0, 10}})},
      {"2^63", "bytes=1-9223372036854775808", ranges({{1, 9}})},
      {"2^64 - 1", "bytes=1-18446744073709551615", ranges({{1, 9}})},
      {"2^64 does not become 0", "bytes=1-18446744073709551616", ranges({{1, 9}})},
      {"2^64 + 5 does not become 5", "bytes=18446744073709551621-", kUnsatisfiable},
      {"first of 2^63", "bytes=9223372036854775808-", kUnsatisfiable},
      {"suffix of 2^64", "bytes=-18446744073709551616", ranges({{0, 10}})},
      {"suffix of 2^64 + 3", "bytes=-18446744073709551619", ranges({{0, 10}})},
      {"forty digits", "bytes=0-9999999999999999999999999999999999999999", ranges({{0, 10}})},
      {"the largest size", "bytes=18446744073709551613-", ranges({{kLargest - 2, 2}}), kLargest},
      {"all of the largest", "bytes=0-", ranges({{0, kLargest}}), kLargest},

      {"an empty file has no bytes to name", "bytes=0-", kWhole, 0},
      {"an empty file has no suffix", "bytes=-5", kWhole, 0},
      {"an empty file has no empty suffix", "bytes=-0", kWhole, 0},
  };
  for (const auto& [why, field, want, size] : cases) {
    CAPTURE(why);
    CHECK(select_ranges(field, size) == want);
  }
}

TEST_CASE("a malformed Range is ignored, RFC 9110 section 14.2") {
  const struct {
    std::string_view why, field;
  } cases[] = {
      {"empty", ""},
      {"no unit", "0-4"},
      {"only a number", "0"},
      {"no set", "bytes"},
      {"an empty set", "bytes="},
      {"an empty set of spaces", "bytes=         "},
      {"only empty members", "bytes= , , ,   "},
      {"another unit", "items=0-4"},
      {"a unit that ends in bytes", "xbytes=0-4"},
      {"a unit that begins with bytes", "bytesx=0-4"},
      {"a space before the sign", "bytes =0-4"},
      {"a colon", "bytes:0-4"},
      {"no dash", "bytes=7"},
      {"only a dash", "bytes=-"},
      {"backwards", "bytes=5-4"},
      {"backwards in a list", "bytes=0-2,5-4"},
      {"backwards after the end", "bytes=20-11"},
      {"two dashes", "bytes=0--"},
      {"a negative first", "bytes=-2-3"},
      {"a negative last", "bytes=--5"},
      {"three numbers", "bytes=0-1-2"},
      {"letters", "bytes=A-"},
      {"a letter last", "bytes=5-Z"},
      {"a letter as suffix", "bytes=-Z"},
      {"hexadecimal", "bytes=0x01-0x02"},
      {"a plus sign", "bytes=+0-4"},
      {"a fraction", "bytes=0.0-4"},
      {"a space inside", "bytes=0 -4"},
      {"a space after the dash", "bytes=0- 4"},
      {"a semicolon", "bytes=0-1;3-4"},
      {"one malformed range among valid ones", "bytes=0-1,garbage,3-4"},
      {"a malformed range after the end", "bytes=100-200,x"},
      {"the unit twice", "bytes=0-1,bytes=3-4"},
      {"another sign",
       "bytes=0\xe2\x80\x93"
       "4"},
  };
  for (const auto& [why, field] : cases) {
    CAPTURE(why);
    CHECK(select_ranges(field, 10) == kWhole);
  }
}

TEST_CASE("several ranges keep their order, and those that overlap or are near are joined, RFC 9110 section 15.3.7.2") {
  const struct {
    std::string_view why, field;
    RangeSelection want;
  } cases[] = {
      {"far apart", "bytes=0-9,1000-1009", ranges({{0, 10}, {1000, 10}})},
      {"the client's order", "bytes=1000-1009,0-9", ranges({{1000, 10}, {0, 10}})},
      {"open and suffix", "bytes=-10,0-0", ranges({{9990, 10}, {0, 1}})},
      {"white space and empty members", "bytes=0-9 ,\t, 1000-1009,", ranges({{0, 10}, {1000, 10}})},
      {"14.1: unit names are case-insensitive", "ByTeS=0-9,1000-1009", ranges({{0, 10}, {1000, 10}})},
      {"one after the end is dropped", "bytes=20000-,0-9", ranges({{0, 10}})},
      {"one of three is after the end", "bytes=0-9,20000-,1000-1009", ranges({{0, 10}, {1000, 10}})},
      {"two equal ranges", "bytes=5-6,5-6", ranges({{5, 2}})},
      {"overlap", "bytes=0-99,50-149", ranges({{0, 150}})},
      {"overlap, backwards", "bytes=50-149,0-99", ranges({{0, 150}})},
      {"one inside another", "bytes=0-9999,5-6", ranges({{0, 10000}})},
      {"touching", "bytes=0-99,100-199", ranges({{0, 200}})},
      {"a gap of 128", "bytes=0-99,228-300", ranges({{0, 301}})},
      {"a gap of 129", "bytes=0-99,229-300", ranges({{0, 100}, {229, 72}})},
      {"a range that joins its neighbors, in the place of the first", "bytes=1000-1099,5000-5001,1300-1399,1100-1299",
       ranges({{1000, 400}, {5000, 2}})},
      {"the place of a later neighbor", "bytes=5000-5001,2000-2099,8000-8001,1000-1999",
       ranges({{5000, 2}, {1000, 1100}, {8000, 2}})},
      {"growing step by step", "bytes=1000-1001,1400-1401,1200-1201,1300-1301,1100-1101", ranges({{1000, 402}})},
      {"many open ones", "bytes=0-,1-,2-,3-,4-", ranges({{0, 10000}})},
      {"a number beyond 2^64 in a list", "bytes=0-0,9999-18446744073709551616", ranges({{0, 1}, {9999, 1}})},
  };
  for (const auto& [why, field, want] : cases) {
    CAPTURE(why);
    CHECK(select_ranges(field, 10000) == want);
  }
}

TEST_CASE("more than sixteen ranges select the whole, RFC 9110 section 14.2") {
  CHECK(select_ranges(single_bytes(16), 100000).ranges.size() == 16);
  CHECK(select_ranges(single_bytes(17), 100000) == kWhole);
  CHECK(select_ranges(single_bytes(1500), 10000000) == kWhole);
  std::string overlapping = "bytes=0-";
  for (int i = 0; i < 16; ++i) overlapping += ",0-";
  CHECK_MESSAGE(select_ranges(overlapping, 100) == kWhole, "ranges are counted before they are joined");
  std::string past_end = "bytes=0-0";
  for (int i = 0; i < 16; ++i) past_end += ",999-";
  CHECK_MESSAGE(select_ranges(past_end, 100) == kWhole, "unsatisfiable ranges are counted too");
}

TEST_CASE("Content-Range counts from 0 and names the last byte, RFC 9110 section 14.4") {
  CHECK(content_range({0, 5}, 11) == "bytes 0-4/11");
  CHECK(content_range({10, 1}, 11) == "bytes 10-10/11");
  CHECK(content_range({0, kLargest}, kLargest) == "bytes 0-18446744073709551614/18446744073709551615");
  CHECK(unsatisfied_content_range(11) == "bytes */11");
}

TEST_SUITE_END();
}  // namespace volt::http::files
