// SPDX-License-Identifier: MIT

#include "http/http1/internal/chunk_line.h"

#include <limits>

#include "http/message/ascii.h"
#include "http/message/percent.h"

namespace volt::http::http1 {
namespace {

constexpr std::uint8_t kDigitsMax = 16;  // enough for 64 bits; leading zeros count
constexpr std::uint64_t kSizeMax = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::expected<bool, ParseError> ChunkLine::take(char c, std::size_t extension_bytes_max) noexcept {
  if (state_ == State::line_feed) {
    if (c == '\n') return true;
    return std::unexpected(extension_bytes_ > 0 ? ParseError::bad_chunk_extension : ParseError::bad_chunk);
  }
  if (state_ <= State::digits && (message::is_hex(c) || state_ == State::first_digit)) {
    if (const auto taken = take_digit(c); !taken) return std::unexpected(taken.error());
    return false;
  }
  if (state_ == State::digits && c != '\r' && c != ';' && !message::is_ows(c)) {
    return std::unexpected(ParseError::bad_chunk);
  }
  if (!take_extension(c)) return std::unexpected(ParseError::bad_chunk_extension);
  if (state_ == State::line_feed) return false;
  if (++extension_bytes_ > extension_bytes_max) return std::unexpected(ParseError::bad_chunk_extension);
  return false;
}

std::expected<void, ParseError> ChunkLine::take_digit(char c) noexcept {
  if (!message::is_hex(c) || ++digits_ > kDigitsMax) return std::unexpected(ParseError::bad_chunk);
  state_ = State::digits;
  size_bytes_ = size_bytes_ << 4 | message::hex_value(c);
  if (size_bytes_ > kSizeMax) return std::unexpected(ParseError::bad_chunk);
  return {};
}

// Consumes a byte of chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ).
bool ChunkLine::take_extension(char c) noexcept {
  switch (state_) {
    case State::digits:
      return end_extension(c, State::before_semicolon);
    case State::before_semicolon:
      if (c == ';') state_ = State::before_name;
      return c == ';' || message::is_ows(c);
    case State::before_name:
    case State::name:
    case State::after_name:
      return take_name(c);
    default:
      return take_value(c);
  }
}

bool ChunkLine::take_name(char c) noexcept {
  if (state_ == State::before_name && message::is_ows(c)) return true;
  if (state_ != State::after_name && message::kTokenChars.contains(c)) {
    state_ = State::name;
    return true;
  }
  if (state_ == State::before_name) return false;  // a name must not be empty
  if (c == '=') {
    state_ = State::before_value;
    return true;
  }
  if (state_ == State::after_name && c == '\r') return false;  // white space before the end of the line
  return end_extension(c, State::after_name);
}

// Consumes a byte of chunk-ext-val = token / quoted-string (RFC 9110 section 5.6.4).
bool ChunkLine::take_value(char c) noexcept {
  switch (state_) {
    case State::before_value:
      if (message::is_ows(c)) return true;
      state_ = c == '"' ? State::quoted_value : State::token_value;
      return c == '"' || message::kTokenChars.contains(c);
    case State::token_value:
      return message::kTokenChars.contains(c) || end_extension(c, State::before_semicolon);
    case State::quoted_value:
      if (c == '"') state_ = State::after_quotes;
      if (c == '\\') state_ = State::quoted_pair;
      return message::kFieldValueChars.contains(c);
    case State::quoted_pair:
      state_ = State::quoted_value;
      return message::kFieldValueChars.contains(c);
    case State::after_quotes:
      return end_extension(c, State::before_semicolon);
    default:
      return false;
  }
}

bool ChunkLine::end_extension(char c, State on_space) noexcept {
  if (c == '\r') {
    state_ = State::line_feed;
  } else if (c == ';') {
    state_ = State::before_name;
  } else if (message::is_ows(c)) {
    state_ = on_space;
  } else {
    return false;
  }
  return true;
}

}  // namespace volt::http::http1
