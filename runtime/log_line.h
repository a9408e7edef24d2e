// LogLine: one line of a log, built in place. Text from outside cannot end the line, close a quote, or crowd out what
// comes after it: it is escaped, and cut where its share of the line ends.
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
  static constexpr std::size_t kBytesMax = 4096;  // PIPE_BUF: written to a pipe it stays whole (pipe(7))

  // What is ours, and needs no escaping. What has no room is left out.
  LogLine& add(std::string_view text) noexcept;
  LogLine& add(std::uint64_t number) noexcept;
  // With three digits behind the point.
  LogLine& add_decimal(std::uint64_t thousandths) noexcept;
  // At most `bytes_max` bytes of output. Controls, quotes, backslashes and what is no ASCII become \u00xx, which is JSON
  // for bytes as Latin-1 has them; quotes and backslashes as JSON escapes them in short.
  LogLine& add_escaped(std::string_view text, std::size_t bytes_max) noexcept;
  // RFC 3339, in UTC, with milliseconds: 2026-11-20T17:08:22.123Z
  LogLine& add_rfc3339(std::chrono::sys_time<std::chrono::milliseconds> time) noexcept;
  // As Apache has it: 20/Nov/2026:17:08:22 +0000
  LogLine& add_common_log_time(std::chrono::sys_seconds time) noexcept;

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  void add_padded(unsigned number, int digits) noexcept;

  std::array<char, kBytesMax> bytes_;
  std::size_t size_ = 0;
};

}  // namespace volt
