// SPDX-License-Identifier: MIT

// Segment: a part of a response's content.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "http/files/internal/byte_range.h"

namespace volt::http::files {

// Text to be sent unchanged, or a range of bytes to be read from the file. Content-Length has already announced the
// size of each segment. If the file has become too short, the connection is closed; the response is not padded.
using Segment = std::variant<std::string, ByteRange>;

inline std::uint64_t owed_bytes(const Segment& segment) noexcept {
  if (const auto* range = std::get_if<ByteRange>(&segment)) return range->bytes;
  return std::get<std::string>(segment).size();
}

}  // namespace volt::http::files
