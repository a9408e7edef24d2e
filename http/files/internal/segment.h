// Segment: a piece of an answer's content.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "http/files/internal/byte_range.h"

namespace volt::http::files {

// Text to send as it is, or bytes to read from the file. Either owes an exact number of bytes, which Content-Length has
// promised: a file that has become too short to pay ends the connection, never the answer.
using Segment = std::variant<std::string, ByteRange>;

inline std::uint64_t owed_bytes(const Segment& segment) noexcept {
  if (const auto* range = std::get_if<ByteRange>(&segment)) return range->bytes;
  return std::get<std::string>(segment).size();
}

}  // namespace volt::http::files
