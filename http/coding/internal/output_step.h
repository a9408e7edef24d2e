// SPDX-License-Identifier: MIT

// Appends the output of coders to a string in steps of bounded size, without zero-filling first.
//
// Threads: pure functions and constants.
#pragma once

#include <cstddef>
#include <string>

namespace volt::http::coding {

// Small relative to a coder's own memory, large relative to the cost of a call.
inline constexpr std::size_t kOutputStepBytes = 8 * 1024;

// Appends the bytes that `write(char* begin) -> std::size_t` stores in up to `room_bytes`; it must not throw. Returns
// their number.
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
