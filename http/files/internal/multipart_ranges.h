// multipart/byteranges (RFC 9110 section 14.6): several ranges of a file in one answer.
//
// Threads: pure functions; random_boundary() any.
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
  std::string content_type;  // of the whole, with the boundary
  std::vector<Segment> segments;
  std::uint64_t content_bytes = 0;  // what the segments owe together
};

// 128 random bits as hexadecimal text: no file that was written before holds them, so none is searched for them.
std::string random_boundary();

// `size_bytes`: of the whole file; `part_type`: its media type, empty for none.
MultipartRanges compose_multipart(std::span<const ByteRange> ranges, std::uint64_t size_bytes,
                                  std::string_view part_type, std::string_view boundary);

}  // namespace volt::http::files
