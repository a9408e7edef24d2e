// SPDX-License-Identifier: MIT

// LogLine: one line of a log, built in a buffer of fixed size. Text from outside cannot end the line, close a quote, or
// displace later fields: it is escaped, and truncated to the number of bytes that the caller allows.
//
// Threads: a value.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace volt {

class LogLine {
 public:
  static constexpr std::size_t kBytesMax = 4096;  // PIPE_BUF: a write to a pipe stays whole (pipe(7))

  // Appends trusted text or a number without escaping. Text beyond the end of the buffer is left out.
  LogLine& add(std::string_view text) noexcept;
  LogLine& add(std::uint64_t number) noexcept;
  // Appends a number of thousandths as a decimal number with three digits after the point.
  LogLine& add_decimal(std::uint64_t thousandths) noexcept;
  // Appends `text` with escapes, as at most `bytes_max` bytes. Quotes and backslashes get a backslash. Control
  // characters and bytes outside ASCII become \u00xx, which in JSON denotes the byte's Latin-1 character.
  LogLine& add_escaped(std::string_view text, std::size_t bytes_max) noexcept;
  // Appends a time in the format of RFC 3339, in UTC, with milliseconds: 2026-11-20T17:08:22.123Z
  LogLine& add_rfc3339(std::chrono::sys_time<std::chrono::milliseconds> time) noexcept;
  // Appends a time in the format of Apache's access log, in UTC: 20/Nov/2026:17:08:22 +0000
  LogLine& add_common_log_time(std::chrono::sys_seconds time) noexcept;

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  void add_padded(unsigned number, int digits) noexcept;

  std::array<char, kBytesMax> bytes_;
  std::size_t size_ = 0;
};

}  // namespace volt
