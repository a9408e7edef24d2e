// SPDX-License-Identifier: MIT

#include "http/http1/chunked_body.h"

#include <algorithm>
#include <array>

#include "http/message/ascii.h"

namespace volt::http::http1 {
namespace {

// Number of extension bytes that every body may have, whatever its size. This is enough for a few signed chunks
// (`chunk-signature=`). A body with more extension bytes must have data in proportion to them.
constexpr std::uint64_t kExtensionBytesFree = 1024;

// Fields that frame, route or authenticate a message. RFC 9110 section 6.5.1 forbids them as trailers. Other trailers
// are accepted; they are kept apart from the header fields.
constexpr std::array kForbiddenTrailers = {
    std::string_view("transfer-encoding"),
    std::string_view("content-length"),
    std::string_view("connection"),
    std::string_view("keep-alive"),
    std::string_view("proxy-connection"),
    std::string_view("te"),
    std::string_view("trailer"),
    std::string_view("upgrade"),
    std::string_view("expect"),
    std::string_view("host"),
    std::string_view("forwarded"),
    std::string_view("x-forwarded-for"),
    std::string_view("x-forwarded-host"),
    std::string_view("x-forwarded-proto"),
    std::string_view("authorization"),
    std::string_view("proxy-authorization"),
    std::string_view("cookie"),
};

constexpr std::size_t kKeptTrailerBytes = 1024;  // for the next body; a larger buffer is freed

}  // namespace

bool forbidden_trailer(std::string_view name) noexcept {
  return std::ranges::any_of(kForbiddenTrailers,
                             [&](std::string_view known) { return message::equal_ignoring_case(name, known); });
}

void ChunkedBody::reset() noexcept {
  state_ = State::line;
  line_ = {};
  chunk_left_bytes_ = data_bytes_ = extension_bytes_ = 0;
  trailer_bytes_.clear();
  trailer_spans_.clear();
  if (trailer_bytes_.capacity() > kKeptTrailerBytes) {
    std::string().swap(trailer_bytes_);
    decltype(trailer_spans_)().swap(trailer_spans_);
  }
  trailer_count_ = 0;
}

std::expected<BodyStep, ParseError> ChunkedBody::decode(std::string_view bytes, const Limits& limits,
                                                        std::uint64_t body_bytes_max) {
  BodyStep step;
  while (step.consumed < bytes.size() && state_ != State::done) {
    const std::string_view rest = bytes.substr(step.consumed);
    if (state_ == State::line) {
      const auto taken = take_line_byte(rest.front(), limits, body_bytes_max);
      if (!taken) return std::unexpected(taken.error());
      ++step.consumed;
    } else if (state_ == State::data) {
      step.data = rest.substr(0, std::min<std::uint64_t>(chunk_left_bytes_, rest.size()));
      step.consumed += step.data.size();
      chunk_left_bytes_ -= step.data.size();
      if (chunk_left_bytes_ == 0) state_ = State::data_return;
      break;
    } else if (state_ == State::trailers || (state_ == State::last && rest.front() != '\r')) {
      const auto taken = take_trailers(rest, limits);
      if (!taken) return std::unexpected(taken.error());
      step.consumed += *taken;
    } else {
      if (!take_delimiter(rest.front())) return std::unexpected(ParseError::bad_chunk);
      ++step.consumed;
    }
  }
  step.done = state_ == State::done;
  return step;
}

std::expected<void, ParseError> ChunkedBody::take_line_byte(char c, const Limits& limits,
                                                            std::uint64_t body_bytes_max) noexcept {
  const auto complete = line_.take(c, limits.chunk_extension_bytes_max);
  if (!complete) return std::unexpected(complete.error());
  if (!*complete) return {};
  return begin_chunk(limits, body_bytes_max);
}

std::expected<void, ParseError> ChunkedBody::begin_chunk(const Limits& limits, std::uint64_t body_bytes_max) noexcept {
  chunk_left_bytes_ = line_.size_bytes();
  const std::uint64_t allowed = body_bytes_max - std::min(body_bytes_max, data_bytes_);
  if (chunk_left_bytes_ > allowed) return std::unexpected(ParseError::body_too_large);
  data_bytes_ += chunk_left_bytes_;
  extension_bytes_ += line_.extension_bytes();
  if (extensions_outweigh_data(limits)) return std::unexpected(ParseError::bad_chunk_extension);
  state_ = chunk_left_bytes_ > 0 ? State::data : State::last;
  line_ = {};
  return {};
}

// Limits the extension bytes in proportion to the data. One-byte chunks with long extensions would cost the server much
// work and the client little (CVE-2023-39326, CVE-2024-22019).
bool ChunkedBody::extensions_outweigh_data(const Limits& limits) const noexcept {
  if (extension_bytes_ <= kExtensionBytesFree) return false;
  const std::uint64_t ratio = limits.extension_bytes_per_data_byte_max;
  return ratio == 0 || (extension_bytes_ - kExtensionBytesFree) / ratio > data_bytes_;
}

// Consumes one byte of the CRLF after a chunk's data, or of the CRLF that ends a body without trailers. Returns false
// for any other byte.
bool ChunkedBody::take_delimiter(char c) noexcept {
  switch (state_) {
    case State::data_return:
      state_ = State::data_feed;
      return c == '\r';
    case State::data_feed:
      state_ = State::line;
      return c == '\n';
    case State::last:
      state_ = State::final_feed;
      return c == '\r';
    case State::final_feed:
      state_ = State::done;
      return c == '\n';
    default:
      return false;
  }
}

std::expected<std::size_t, ParseError> ChunkedBody::take_trailers(std::string_view bytes, const Limits& limits) {
  if (state_ == State::last) {
    trailer_spans_.resize(limits.trailer_fields_max);
    section_.reset(trailer_spans_, 0);
    state_ = State::trailers;
  }
  const std::size_t before = trailer_bytes_.size();
  trailer_bytes_.append(bytes.substr(0, limits.trailer_bytes_max - before));
  const FieldSection::Verdict verdict = section_.read(trailer_bytes_);
  if (verdict == FieldSection::Verdict::need_more) {
    if (trailer_bytes_.size() == limits.trailer_bytes_max) return std::unexpected(ParseError::bad_trailer);
    return bytes.size();
  }
  if (verdict != FieldSection::Verdict::complete) return std::unexpected(ParseError::bad_trailer);
  trailer_count_ = section_.size();
  for (const Field& field : trailers()) {
    if (forbidden_trailer(field.name)) return std::unexpected(ParseError::bad_trailer);
  }
  trailer_bytes_.resize(section_.end());
  state_ = State::done;
  return section_.end() - before;
}

}  // namespace volt::http::http1
