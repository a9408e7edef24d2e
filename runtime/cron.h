// SPDX-License-Identifier: MIT

// Cron: the times of a cron expression, such as "30 3 * * mon-fri": half past three on working days.
//
//   const std::expected<Cron, std::string> nightly = Cron::parse("0 3 * * *");
//   const std::optional<std::chrono::sys_seconds> next = nightly->next(now);
//
// An expression has five fields: minute (0-59), hour (0-23), day of the month (1-31), month (1-12 or jan-dec), day of
// the week (0-7 or sun-sat; 0 and 7 are Sunday, which may also end a range). A field is a list, separated by commas, of
//   *        every value
//   5        a value
//   1-5      a range; its ends belong to it
//   */15     every 15th value from the first one; also 10-50/20: 10, 30, 50
// If both days are restricted, that is, neither field begins with '*', a day matches if one of them does, as in
// cron(8).
//
// Times are in UTC, so no time is missed or repeated when clocks change.
//
// Threads: a value. Errors: parse() returns a sentence that names the field. A date that never comes, such as
// "0 0 30 2 *", is an error.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace volt {

class Cron {
 public:
  [[nodiscard]] static std::expected<Cron, std::string> parse(std::string_view text);

  // Returns the first time after `after` that matches. Empty only for times that std::chrono cannot represent.
  [[nodiscard]] std::optional<std::chrono::sys_seconds> next(
      std::chrono::sys_time<std::chrono::nanoseconds> after) const noexcept;

  bool operator==(const Cron&) const = default;

 private:
  Cron() = default;
  [[nodiscard]] bool matches(std::chrono::sys_days day) const noexcept;

  // One bit for each value that matches.
  std::uint64_t minutes_ = 0;
  std::uint32_t hours_ = 0;
  std::uint32_t days_ = 0;
  std::uint16_t months_ = 0;
  std::uint8_t weekdays_ = 0;
  bool either_day_ = false;  // a day matches if one of its two fields does
};

}  // namespace volt
