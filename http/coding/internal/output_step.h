// SPDX-License-Identifier: MIT

// Appends the output of coders to a string in steps of bounded size, without zero-filling first.
//
// Threads: pure functions and constants.
#pragma once

#include <cstddef>
#include <string>

namespace volt::http::coding {

// Size of one output step in bytes. It is small compared with a coder's own memory, but large enough to make the cost
// of a call negligible.
inline constexpr std::size_t kOutputStepBytes = 8 * 1024;

// Makes room for `room_bytes` at the end of `out` and calls `write(char* begin)`. `write` stores up to `room_bytes`
// bytes there and returns their number; it must not throw. Returns the same number.
template <class Write>
std::size_t append_written(std::string& out, std::size_t room_bytes, Write write) {
  const std::size_t before = out.size();
  std::size_t written = 0;
  out.resize_and_overwrite(before + room_bytes, [&](char* bytes, std::size_t) noexcept {
    written = write(bytes + before);
    return before + written;
  });
  return written;
}

}  // namespace volt::http::coding
