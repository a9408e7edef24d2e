// SPDX-License-Identifier: MIT

#include "runtime/log_line.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace volt {
namespace {

// The escaped form of one byte of text.
class Escaped {
 public:
  explicit Escaped(char c) noexcept {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ = {'\\', c};
      size_ = 2;
    } else if (byte < 0x20 || byte >= 0x7f) {
      text_ = {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
      size_ = 6;
    } else {
      text_[0] = c;
    }
  }
  std::string_view view() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, 6> text_{};
  std::size_t size_ = 1;
};

}  // namespace

LogLine& LogLine::add(std::string_view text) noexcept {
  const std::size_t count = std::min(text.size(), kBytesMax - size_);
  std::copy_n(text.data(), count, bytes_.data() + size_);
  size_ += count;
  return *this;
}

LogLine& LogLine::add(std::uint64_t number) noexcept {
  char digits[std::numeric_limits<std::uint64_t>::digits10 + 1];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

LogLine& LogLine::add_decimal(std::uint64_t thousandths) noexcept {
  add(thousandths / 1000).add(".");
  add_padded(static_cast<unsigned>(thousandths % 1000), 3);
  return *this;
}

LogLine& LogLine::add_escaped(std::string_view text, std::size_t bytes_max) noexcept {
  const std::size_t end = std::min(size_ + bytes_max, kBytesMax);
  for (const char c : text) {
    const Escaped escaped(c);
    if (size_ + escaped.view().size() > end) break;
    add(escaped.view());
  }
  return *this;
}

LogLine& LogLine::add_rfc3339(std::chrono::sys_time<std::chrono::milliseconds> time) noexcept {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  add_padded(static_cast<unsigned>(static_cast<int>(date.year())), 4);
  add("-").add_padded(static_cast<unsigned>(date.month()), 2);
  add("-").add_padded(static_cast<unsigned>(date.day()), 2);
  add("T").add_padded(static_cast<unsigned>(clock.hours().count()), 2);
  add(":").add_padded(static_cast<unsigned>(clock.minutes().count()), 2);
  add(":").add_padded(static_cast<unsigned>(clock.seconds().count()), 2);
  add(".").add_padded(static_cast<unsigned>(clock.subseconds().count()), 3);
  return add("Z");
}

LogLine& LogLine::add_common_log_time(std::chrono::sys_seconds time) noexcept {
  using namespace std::chrono;
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  add_padded(static_cast<unsigned>(date.day()), 2);
  add("/").add(kMonths.substr((static_cast<unsigned>(date.month()) - 1) * 3, 3)).add("/");
  add_padded(static_cast<unsigned>(static_cast<int>(date.year())), 4);
  add(":").add_padded(static_cast<unsigned>(clock.hours().count()), 2);
  add(":").add_padded(static_cast<unsigned>(clock.minutes().count()), 2);
  add(":").add_padded(static_cast<unsigned>(clock.seconds().count()), 2);
  return add(" +0000");
}

void LogLine::add_padded(unsigned number, int digits) noexcept {
  char text[10];
  for (int place = digits; place-- != 0; number /= 10) text[place] = static_cast<char>('0' + number % 10);
  add(std::string_view(text, static_cast<std::size_t>(digits)));
}

}  // namespace volt
