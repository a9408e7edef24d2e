// SPDX-License-Identifier: MIT

#include "http/files/internal/multipart_ranges.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/internal/multipart_ranges");
namespace {

std::string paid(const MultipartRanges& composed, std::string_view file) {
  std::string sent;
  for (const Segment& segment : composed.segments) {
    if (const auto* range = std::get_if<ByteRange>(&segment)) {
      sent += file.substr(range->begin, range->bytes);
    } else {
      sent += std::get<std::string>(segment);
    }
  }
  return sent;
}

}  // namespace

TEST_CASE("each range is a part with its own head, RFC 9110 section 14.6") {
  const ByteRange ranges[] = {{8, 2}, {0, 3}};
  const MultipartRanges composed = compose_multipart(ranges, 10, "text/plain", "XX");
  const std::string_view want =
      "--XX\r\n"
      "Content-Type: text/plain\r\n"
      "Content-Range: bytes 8-9/10\r\n"
      "\r\n"
      "89\r\n"
      "--XX\r\n"
      "Content-Type: text/plain\r\n"
      "Content-Range: bytes 0-2/10\r\n"
      "\r\n"
      "012\r\n"
      "--XX--\r\n";
  CHECK(composed.content_type == "multipart/byteranges; boundary=XX");
  CHECK(paid(composed, "0123456789") == want);
  CHECK(composed.content_bytes == want.size());
}

TEST_CASE("a part of an unknown type has no Content-Type") {
  const ByteRange ranges[] = {{0, 1}, {9, 1}};
  const std::string sent = paid(compose_multipart(ranges, 10, {}, "XX"), "0123456789");
  CHECK(sent.find("Content-Type") == std::string::npos);
  CHECK(sent.starts_with("--XX\r\nContent-Range: bytes 0-0/10\r\n\r\n0\r\n--XX\r\n"));
}

TEST_CASE("the length of huge ranges is known in advance") {
  constexpr std::uint64_t kTerabyte = 1ULL << 40;
  const ByteRange ranges[] = {{0, kTerabyte}, {2 * kTerabyte, kTerabyte}};
  const MultipartRanges composed = compose_multipart(ranges, 4 * kTerabyte, "video/mp4", "XX");
  CHECK(composed.content_bytes > 2 * kTerabyte);
  CHECK(composed.content_bytes < 2 * kTerabyte + 300);
}

TEST_CASE("a boundary is valid by RFC 2046 section 5.1.1, and never repeated") {
  std::set<std::string> boundaries;
  for (int i = 0; i < 100; ++i) {
    const std::string boundary = random_boundary();
    CHECK(boundary.size() == 32);
    CHECK(boundary.find_first_not_of("0123456789abcdef") == std::string::npos);
    boundaries.insert(boundary);
  }
  CHECK(boundaries.size() == 100);
}

TEST_SUITE_END();
}  // namespace volt::http::files
