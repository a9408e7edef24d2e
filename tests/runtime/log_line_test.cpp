// SPDX-License-Identifier: MIT

#include "runtime/log_line.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace volt {

TEST_SUITE_BEGIN("runtime/log_line");

TEST_CASE("text from outside is escaped, byte for byte") {
  for (int byte = 0; byte != 256; ++byte) {
    CAPTURE(byte);
    const char c = static_cast<char>(byte);
    LogLine line;
    line.add_escaped({&c, 1}, 6);
    const std::string_view text = line.view();
    if (c == '"' || c == '\\') {
      CHECK(text == std::string("\\") + c);
    } else if (byte >= 0x20 && byte < 0x7f) {
      CHECK(text == std::string(1, c));
    } else {
      CHECK(std::stoi(std::string(text.substr(2)), nullptr, 16) == byte);
      CHECK(text.starts_with("\\u00"));
      CHECK(text.size() == 6);
    }
  }
}

TEST_CASE("text is truncated before an escape that does not fit, never within it") {
  const struct {
    std::string_view why;
    std::string text;
    std::size_t bytes_max;
    std::string want;
  } cases[] = {
      {"it fits", "abc", 3, "abc"},
      {"one byte too many", "abcd", 3, "abc"},
      {"an escape fits", "a\n", 7, "a\\u000a"},
      {"an escape does not fit", "a\n", 6, "a"},
      {"an escaped quote does not fit", "a\"", 2, "a"},
      {"no room at all", "a", 0, ""},
  };
  for (const auto& [why, text, bytes_max, want] : cases) {
    CAPTURE(why);
    LogLine line;
    CHECK(line.add_escaped(text, bytes_max).view() == want);
  }
}

TEST_CASE("a full line accepts no further text") {
  LogLine line;
  line.add(std::string(LogLine::kBytesMax - 1, 'a')).add_escaped("\n", 100).add("bc").add(std::uint64_t{7});
  CHECK(line.view() == std::string(LogLine::kBytesMax - 1, 'a') + "b");
}

TEST_CASE("numbers and times are written in fixed formats") {
  using namespace std::chrono;
  const sys_time<milliseconds> time(sys_days(2026y / 2 / 3) + 4h + 5min + 6s + 7ms);
  LogLine line;
  line.add(std::uint64_t{18446744073709551615u}).add(" ").add_decimal(1005).add(" ").add_decimal(7).add(" ");
  line.add_rfc3339(time).add(" ").add_common_log_time(floor<seconds>(time));
  CHECK(line.view() == "18446744073709551615 1.005 0.007 2026-02-03T04:05:06.007Z 03/Feb/2026:04:05:06 +0000");
}

TEST_SUITE_END();
}  // namespace volt
