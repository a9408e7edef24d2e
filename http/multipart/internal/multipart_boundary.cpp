// SPDX-License-Identifier: MIT

#include "http/multipart/internal/multipart_boundary.h"

#include <algorithm>

#include "http/message/ascii.h"
#include "http/message/media_type_value.h"

namespace volt::http::multipart {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

// The bytes of a boundary: bchars, RFC 2046 section 5.1.1. CR is not among them. So if a delimiter fails to match, no
// other delimiter can have begun inside it.
constexpr message::ByteSet kBoundaryChars([](char c) {
  return message::is_digit(c) || message::is_alpha(c) || message::contains("'()+_,-./:=? ", c);
});

bool is_boundary(std::string_view text) noexcept {
  if (text.empty() || text.size() > kBoundaryBytesMax || text.ends_with(' ')) return false;
  return std::ranges::all_of(text, [](char c) { return kBoundaryChars.contains(c); });
}

}  // namespace

std::expected<std::string, MultipartError> multipart_boundary(std::string_view content_type) {
  const auto media_type = message::MediaTypeValue::parse(content_type);
  if (!media_type || !media_type->is("multipart/form-data")) return std::unexpected(MultipartError::not_form_data);
  auto boundary = media_type->parameter("boundary");
  if (!boundary || !is_boundary(*boundary)) return std::unexpected(MultipartError::bad_boundary);
  return *std::move(boundary);
}

DelimiterScanner::DelimiterScanner(std::string_view boundary) {
  text_.append(kLineEnd).append("--").append(boundary).append("-");
  begin_line();
}

void DelimiterScanner::begin_line() noexcept { matched_ = borrowed_ = kLineEnd.size(); }

DelimiterScanner::Step DelimiterScanner::scan(std::string_view bytes) noexcept {
  std::size_t consumed = 0;
  while (consumed < bytes.size()) {
    Step step = advance(bytes.substr(consumed));
    consumed += step.consumed;
    step.consumed = consumed;
    if (step.found != Found::need_more) return step;
  }
  return {.consumed = consumed};
}

DelimiterScanner::Step DelimiterScanner::advance(std::string_view bytes) noexcept {
  if (matched_ == 0) return find(bytes);
  if (matched_ < delimiter().size()) return match_more(bytes);
  return take_tail(bytes.front());
}

DelimiterScanner::Step DelimiterScanner::find(std::string_view bytes) noexcept {
  std::size_t at = bytes.find('\r');
  while (at != std::string_view::npos && !delimiter().starts_with(bytes.substr(at, delimiter().size()))) {
    at = bytes.find('\r', at + 1);
  }
  const std::size_t content_bytes = std::min(at, bytes.size());
  if (content_bytes > 0) return {Found::content, content_bytes, bytes.substr(0, content_bytes)};
  matched_ = std::min(bytes.size(), delimiter().size());
  return {.consumed = matched_};
}

DelimiterScanner::Step DelimiterScanner::match_more(std::string_view bytes) noexcept {
  const std::string_view wanted = delimiter().substr(matched_);
  const std::size_t size = std::min(wanted.size(), bytes.size());
  const std::size_t same = static_cast<std::size_t>(
      std::mismatch(wanted.begin(), wanted.begin() + size, bytes.begin()).first - wanted.begin());
  if (same < size) return release(matched_ + same, same);
  matched_ += same;
  return {.consumed = same};
}

// Returns the held-back bytes as content, after they turned out not to be part of a delimiter. Scanning then starts
// again.
DelimiterScanner::Step DelimiterScanner::release(std::size_t held_bytes, std::size_t consumed) noexcept {
  const std::string_view held = std::string_view(text_).substr(borrowed_, held_bytes - borrowed_);
  matched_ = borrowed_ = 0;
  tail_ = Tail::undecided;
  return {held.empty() ? Found::need_more : Found::content, consumed, held};
}

DelimiterScanner::Step DelimiterScanner::take_tail(char c) noexcept {
  switch (tail_) {
    case Tail::undecided:
      if (c == '-') {
        tail_ = Tail::hyphen;
        return {.consumed = 1};
      }
      if (c != '\r' && c != '\n' && !message::is_ows(c)) return release(matched_, 0);
      return take_padding(c);
    case Tail::hyphen:
      if (c != '-') return release(text_.size(), 0);
      return {Found::last_delimiter, 1, {}};
    case Tail::padding:
      return take_padding(c);
    case Tail::line_feed:
      if (c != '\n') return {Found::malformed, 0, {}};
      matched_ = borrowed_ = padding_bytes_ = 0;
      tail_ = Tail::undecided;
      return {Found::delimiter, 1, {}};
  }
  return {Found::malformed, 0, {}};
}

DelimiterScanner::Step DelimiterScanner::take_padding(char c) noexcept {
  tail_ = c == '\r' ? Tail::line_feed : Tail::padding;
  if (c == '\r') return {.consumed = 1};
  if (!message::is_ows(c) || ++padding_bytes_ > kPaddingBytesMax) return {Found::malformed, 0, {}};
  return {.consumed = 1};
}

}  // namespace volt::http::multipart
