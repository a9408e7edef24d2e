// SPDX-License-Identifier: MIT

// multipart/byteranges (RFC 9110 section 14.6): several ranges of a file in one response.
//
// Threads: pure functions, and random_boundary(), which any thread may call.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/files/internal/byte_range.h"
#include "http/files/internal/segment.h"

namespace volt::http::files {

struct MultipartRanges {
  std::string content_type;  // type of the whole content, with the boundary
  std::vector<Segment> segments;
  std::uint64_t content_bytes = 0;  // total size of the segments
};

// Returns a boundary of 128 random bits in hexadecimal. Files are not searched for the boundary, because it is
// practically impossible that a file contains these bits.
std::string random_boundary();

// Composes the content. `size_bytes` is the size of the whole file; `part_type` is its media type, empty for none.
MultipartRanges compose_multipart(std::span<const ByteRange> ranges, std::uint64_t size_bytes,
                                  std::string_view part_type, std::string_view boundary);

}  // namespace volt::http::files
