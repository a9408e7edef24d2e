// How coders append to a string: in steps of bounded size, without filling it with zeros first.
//
// Threads: pure functions and constants.
#pragma once

#include <cstddef>
#include <string>

namespace volt::http::coding {

// Small beside a coder's own memory, large beside its cost of a call.
inline constexpr std::size_t kOutputStepBytes = 8 * 1024;

// Appends what `write(char* begin) -> std::size_t` puts into `room_bytes`; it must not throw. Returns how many bytes.
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
