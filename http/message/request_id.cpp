// SPDX-License-Identifier: MIT

#include "http/message/request_id.h"

#include <algorithm>
#include <span>

#include "crypto/random.h"
#include "http/message/ascii.h"

namespace volt::http::message {
namespace {

constexpr ByteSet kIdChars([](char c) { return is_alpha(c) || is_digit(c) || contains("-_.:=+/@", c); });

}  // namespace

bool acceptable_request_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= kRequestIdBytesMax &&
         std::ranges::all_of(id, [](char c) { return kIdChars.contains(c); });
}

RequestIdSource::RequestIdSource() noexcept {
  std::array<std::uint64_t, 2> drawn;
  crypto::fill_random(std::as_writable_bytes(std::span(drawn)));
  high_ = drawn[0];
  low_ = drawn[1];
}

RequestId RequestIdSource::next(std::chrono::sys_time<std::chrono::milliseconds> now) noexcept {
  constexpr std::uint64_t kVersion = 0x7000;
  constexpr std::uint64_t kVariant = std::uint64_t{2} << 62;
  const auto time = static_cast<std::uint64_t>(now.time_since_epoch().count());
  const std::uint64_t first = time << 16 | kVersion | (high_ & 0xfff);
  const std::uint64_t second = kVariant | (low_++ & ~(std::uint64_t{3} << 62));

  RequestId id;
  std::size_t at = 0;
  for (int digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) id.text_[at++] = '-';
    const std::uint64_t word = digit < 16 ? first : second;
    id.text_[at++] = "0123456789abcdef"[word >> (60 - 4 * (digit % 16)) & 15];
  }
  return id;
}

}  // namespace volt::http::message
