// SPDX-License-Identifier: MIT

#include "http/multipart/internal/multipart_parser.h"

#include <utility>

#include "http/message/ascii.h"

namespace volt::http::multipart {

using Found = DelimiterScanner::Found;

MultipartParser::Outcome MultipartParser::feed(std::string_view bytes) {
  if (error_) return std::unexpected(*error_);
  std::size_t consumed = 0;
  for (;;) {
    Outcome outcome = advance(bytes.substr(consumed));
    if (!outcome) {
      error_ = outcome.error();
      return outcome;
    }
    consumed += outcome->consumed;
    outcome->consumed = consumed;
    if (outcome->event != MultipartEvent::need_more || consumed == bytes.size()) return outcome;
  }
}

std::expected<void, MultipartError> MultipartParser::finish() const noexcept {
  if (error_) return std::unexpected(*error_);
  const bool complete = state_ >= State::ended && state_ != State::last_feed;
  if (!complete) return std::unexpected(MultipartError::incomplete);
  return {};
}

MultipartParser::Outcome MultipartParser::advance(std::string_view bytes) {
  switch (state_) {
    case State::preamble:
      return take_preamble(bytes);
    case State::head:
      return take_head(bytes);
    case State::content:
      return take_content(bytes);
    case State::ended:
      return end_form({});
    case State::last_padding:
    case State::last_feed:
    case State::epilogue:
      return take_epilogue(bytes);
  }
  std::unreachable();
}

MultipartParser::Outcome MultipartParser::take_preamble(std::string_view bytes) {
  const DelimiterScanner::Step step = scanner_.scan(bytes);
  switch (step.found) {
    case Found::need_more:
      return MultipartStep{.consumed = step.consumed};
    case Found::content:
      outside_bytes_ += step.content.size();
      if (outside_bytes_ > limits_.preamble_bytes_max) return std::unexpected(MultipartError::preamble_too_large);
      return MultipartStep{.consumed = step.consumed};
    case Found::delimiter:
      return begin_head({.consumed = step.consumed});
    case Found::last_delimiter:  // A form without parts.
      return end_form({.consumed = step.consumed});
    case Found::malformed:
      return std::unexpected(MultipartError::bad_delimiter);
  }
  std::unreachable();
}

MultipartParser::Outcome MultipartParser::take_content(std::string_view bytes) {
  const DelimiterScanner::Step step = scanner_.scan(bytes);
  switch (step.found) {
    case Found::need_more:
      return MultipartStep{.consumed = step.consumed};
    case Found::content:
      return MultipartStep{MultipartEvent::part_data, step.consumed, step.content};
    case Found::delimiter:
      return begin_head({.event = MultipartEvent::part_end, .consumed = step.consumed});
    case Found::last_delimiter:
      state_ = State::ended;
      return MultipartStep{.event = MultipartEvent::part_end, .consumed = step.consumed};
    case Found::malformed:
      return std::unexpected(MultipartError::bad_delimiter);
  }
  std::unreachable();
}

MultipartParser::Outcome MultipartParser::begin_head(MultipartStep step) {
  if (++parts_ > limits_.parts_max) return std::unexpected(MultipartError::too_many_parts);
  state_ = State::head;
  head_.clear();
  line_begin_ = 0;
  fields_ = 0;
  return step;
}

MultipartParser::Outcome MultipartParser::take_head(std::string_view bytes) {
  const std::size_t line_feed = bytes.find('\n');
  const std::string_view piece = line_feed == std::string_view::npos ? bytes : bytes.substr(0, line_feed + 1);
  if (piece.size() > limits_.head_bytes_max - head_.size()) return std::unexpected(MultipartError::head_too_large);
  head_ += piece;
  Outcome outcome = piece.ends_with('\n') ? take_head_line() : Outcome();
  if (outcome) outcome->consumed = piece.size();
  return outcome;
}

MultipartParser::Outcome MultipartParser::take_head_line() {
  if (!head_.ends_with("\r\n")) return std::unexpected(MultipartError::bad_field);
  if (head_.size() - line_begin_ > 2) {
    if (++fields_ > limits_.fields_max) return std::unexpected(MultipartError::too_many_fields);
    line_begin_ = head_.size();
    return {};
  }
  auto part = MultipartPart::parse(std::move(head_));
  if (!part) return std::unexpected(part.error());
  part_ = *std::move(part);
  state_ = State::content;
  scanner_.begin_line();  // The empty line may be all that follows a part's fields.
  return MultipartStep{.event = MultipartEvent::part_begin};
}

MultipartStep MultipartParser::end_form(MultipartStep step) noexcept {
  state_ = State::last_padding;
  outside_bytes_ = 0;
  step.event = MultipartEvent::end;
  return step;
}

// Consumes a byte after the last delimiter. Grammar: transport-padding [CRLF epilogue]
MultipartParser::Outcome MultipartParser::take_epilogue(std::string_view bytes) {
  const std::string_view taken = state_ == State::epilogue ? bytes : bytes.substr(0, 1);
  outside_bytes_ += taken.size();
  if (outside_bytes_ > limits_.epilogue_bytes_max) return std::unexpected(MultipartError::epilogue_too_large);
  if (!taken.empty() && !take_last_line_byte(taken.front())) return std::unexpected(MultipartError::bad_delimiter);
  return MultipartStep{.consumed = taken.size()};
}

bool MultipartParser::take_last_line_byte(char c) noexcept {
  if (state_ == State::last_padding) {
    if (c == '\r') state_ = State::last_feed;
    return c == '\r' || message::is_ows(c);
  }
  const bool complete = state_ == State::epilogue || c == '\n';
  state_ = State::epilogue;
  return complete;
}

}  // namespace volt::http::multipart
