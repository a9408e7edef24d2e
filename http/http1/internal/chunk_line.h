// SPDX-License-Identifier: MIT

// The line before each chunk: chunk-size [ chunk-ext ] CRLF, RFC 9112 section 7.1. The grammar is applied strictly.
//
// Implemented here rather than by llhttp, which limits neither digits nor extension bytes.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>

#include "http/http1/internal/parse_error.h"

namespace volt::http::http1 {

class ChunkLine {
 public:
  // Consumes the next byte. Returns true if it was the line's last byte. Fails with bad_chunk, bad_chunk_extension.
  std::expected<bool, ParseError> take(char c, std::size_t extension_bytes_max) noexcept;

  // The following members are valid once the line is complete.
  std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  std::size_t extension_bytes() const noexcept { return extension_bytes_; }  // all bytes between the size and CRLF

 private:
  enum class State : std::uint8_t {
    first_digit,
    digits,
    before_semicolon,  // white space after the size or a value: only an extension may follow
    before_name,
    name,
    after_name,
    before_value,
    token_value,
    quoted_value,
    quoted_pair,
    after_quotes,
    line_feed,
  };

  std::expected<void, ParseError> take_digit(char c) noexcept;
  bool take_extension(char c) noexcept;
  bool take_name(char c) noexcept;
  bool take_value(char c) noexcept;
  bool end_extension(char c, State on_space) noexcept;

  State state_ = State::first_digit;
  std::uint8_t digits_ = 0;
  std::uint64_t size_bytes_ = 0;
  std::size_t extension_bytes_ = 0;
};

}  // namespace volt::http::http1
