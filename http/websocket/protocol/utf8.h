// SPDX-License-Identifier: MIT

// Utf8Validator: validates UTF-8 text that arrives in pieces, which may end within a character (RFC 3629 section 4).
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace volt::http::websocket {

class Utf8Validator {
 public:
  // Appends `bytes` to the text. Returns false if the text is invalid whatever bytes may follow; all later calls then
  // return false, too.
  bool feed(std::string_view bytes) noexcept;

  // Whether the text may end here, that is, not within a character.
  bool complete() const noexcept { return left_ == 0; }

 private:
  bool begin_character(std::uint8_t lead) noexcept;

  // The next byte must be in [low_, high_] while left_ > 0; the range is empty after a failure.
  std::uint8_t left_ = 0;  // Number of missing bytes of the current character.
  std::uint8_t low_ = kContinuationMin;
  std::uint8_t high_ = kContinuationMax;

  static constexpr std::uint8_t kContinuationMin = 0x80;
  static constexpr std::uint8_t kContinuationMax = 0xbf;
};

inline bool is_utf8(std::string_view text) noexcept {
  Utf8Validator validator;
  return validator.feed(text) && validator.complete();
}

}  // namespace volt::http::websocket
