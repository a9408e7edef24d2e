// SPDX-License-Identifier: MIT

#include "http/files/internal/multipart_ranges.h"

#include <array>
#include <cstddef>

#include "crypto/random.h"

namespace volt::http::files {
namespace {

std::string part_head(const ByteRange& range, std::uint64_t size_bytes, std::string_view part_type) {
  std::string head;
  if (!part_type.empty()) head.append("Content-Type: ").append(part_type).append("\r\n");
  head.append("Content-Range: ").append(content_range(range, size_bytes)).append("\r\n\r\n");
  return head;
}

}  // namespace

std::string random_boundary() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::byte, 16> bytes;
  crypto::fill_random(bytes);
  std::string boundary;
  for (const std::byte byte : bytes) {
    boundary += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    boundary += kDigits[std::to_integer<std::size_t>(byte & std::byte{0x0f})];
  }
  return boundary;
}

MultipartRanges compose_multipart(std::span<const ByteRange> ranges, std::uint64_t size_bytes,
                                  std::string_view part_type, std::string_view boundary) {
  MultipartRanges composed;
  composed.content_type.append("multipart/byteranges; boundary=").append(boundary);
  std::string delimiter = "--";  // includes the preceding line break (RFC 2046 section 5.1.1), except the first one
  delimiter.append(boundary);
  for (const ByteRange& range : ranges) {
    composed.segments.emplace_back(delimiter + "\r\n" + part_head(range, size_bytes, part_type));
    composed.segments.emplace_back(range);
    if (delimiter.starts_with('-')) delimiter.insert(0, "\r\n");
  }
  composed.segments.emplace_back(delimiter + "--\r\n");
  for (const Segment& segment : composed.segments) composed.content_bytes += owed_bytes(segment);
  return composed;
}

}  // namespace volt::http::files
