// SPDX-License-Identifier: MIT

#include "http/topics/topic_position.h"

#include <array>
#include <charconv>
#include <system_error>

namespace volt::http {
namespace {

constexpr std::size_t kEpochDigits = 8;

// Parses all of `text`, without signs and, in base 10, without leading zeros.
template <class Number>
bool parse_number(std::string_view text, int base, Number& number) noexcept {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && (base != 10 || text.size() == 1 || text.front() != '0');
}

}  // namespace

std::string TopicPosition::to_text() const {
  std::array<char, kEpochDigits> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), epoch, 16);
  const auto size = static_cast<std::size_t>(written.ptr - digits.data());
  std::string text(kEpochDigits - size, '0');
  text.append(digits.data(), size).append("-").append(std::to_string(sequence));
  return text;
}

std::optional<TopicPosition> TopicPosition::parse(std::string_view text) noexcept {
  if (text.size() < kEpochDigits + 2 || text[kEpochDigits] != '-') return std::nullopt;
  TopicPosition position;
  if (!parse_number(text.substr(0, kEpochDigits), 16, position.epoch)) return std::nullopt;
  if (!parse_number(text.substr(kEpochDigits + 1), 10, position.sequence)) return std::nullopt;
  return position;
}

}  // namespace volt::http
