// SPDX-License-Identifier: MIT

#include "http/http1/request_decoder.h"

#include <algorithm>

namespace volt::http::http1 {
namespace {

constexpr ParseError error_for(FieldSection::Verdict verdict) noexcept {
  switch (verdict) {
    case FieldSection::Verdict::bad_length:
      return ParseError::bad_length;
    case FieldSection::Verdict::too_many:
      return ParseError::too_many_fields;
    case FieldSection::Verdict::need_more:
    case FieldSection::Verdict::complete:
    case FieldSection::Verdict::malformed:
      return ParseError::bad_field;
  }
  std::unreachable();
}

}  // namespace

void RequestDecoder::reset() noexcept {
  state_ = State::line;
  line_ = {};
  if (framing_.kind == Framing::Kind::chunked) chunked_.reset();
  framing_ = {};
}

std::expected<HeadState, ParseError> RequestDecoder::decode_head(std::string_view bytes) noexcept {
  // Bytes beyond the limit are never read. Otherwise the result would depend on how many bytes arrive at once.
  const std::string_view visible = bytes.substr(0, limits_.head_bytes_max);
  if (state_ == State::line) {
    const auto line = line_.read(visible, limits_);
    if (!line) return std::unexpected(line.error());
    if (*line) {
      if (const auto finished = finish_line(visible); !finished) return std::unexpected(finished.error());
      state_ = State::fields;
    }
  }
  if (state_ == State::fields) {
    const auto fields = read_fields(visible);
    if (!fields) return std::unexpected(fields.error());
  }
  if (state_ == State::complete) return HeadState::complete;
  if (visible.size() == limits_.head_bytes_max) return std::unexpected(ParseError::head_too_large);
  return HeadState::need_more;
}

std::expected<void, ParseError> RequestDecoder::finish_line(std::string_view bytes) noexcept {
  const auto line = line_.judge(bytes);
  if (!line) return std::unexpected(line.error());
  const auto span_of = [&](std::string_view view) {
    return ByteSpan{static_cast<std::size_t>(view.data() - bytes.data()), view.size()};
  };
  method_ = line->method;
  version_ = line->version;
  target_ = span_of(line->text);
  implied_path_ = line->target.path_implied ? line->target.path : std::string_view{};
  path_ = line->target.path_implied ? ByteSpan{} : span_of(line->target.path);
  query_ = line->target.query.empty() ? ByteSpan{} : span_of(line->target.query);
  host_ = line->target.authority.empty() ? ByteSpan{} : span_of(line->target.authority);
  section_.reset(std::span(spans_).first(std::min(limits_.fields_max, kFieldsCapacity)), line_.end());
  return {};
}

std::expected<HeadState, ParseError> RequestDecoder::read_fields(std::string_view bytes) noexcept {
  const FieldSection::Verdict verdict = section_.read(bytes);
  if (verdict == FieldSection::Verdict::need_more) return HeadState::need_more;
  if (verdict != FieldSection::Verdict::complete) return std::unexpected(error_for(verdict));
  if (const auto finished = finish_head(bytes); !finished) return std::unexpected(finished.error());
  state_ = State::complete;
  return HeadState::complete;
}

std::expected<void, ParseError> RequestDecoder::finish_head(std::string_view bytes) noexcept {
  const SpecialFields special = special_fields(fields(bytes));
  if (!host_acceptable(special, version_, host_check_)) return std::unexpected(ParseError::bad_host);
  // Content-Type occurs several times with different values. A filter in front of this server might check one value
  // while the handler reads the other.
  if (special.content_types_differ) return std::unexpected(ParseError::conflicting_content_types);
  // A proxy in front of this server might check one of them while the handler reads the other.
  if (special.authorization_repeated) return std::unexpected(ParseError::repeated_authorization);
  const auto framing = request_framing(special.framing, version_);
  if (!framing) return std::unexpected(framing.error());
  const bool expectations_count = version_ == Version::http_1_1;  // RFC 9110 section 10.1.1
  if (expectations_count && special.unknown_expectation) return std::unexpected(ParseError::unknown_expectation);

  framing_ = *framing;
  body_left_bytes_ = framing->size_bytes;
  body_bytes_max_ = limits_.body_bytes_max;
  head_bytes_ = section_.end();
  // RFC 9112 section 3.2.2: the authority of an absolute target replaces the value of Host.
  if (host_.size == 0 && special.host) {
    host_ = {static_cast<std::size_t>(special.host->data() - bytes.data()), special.host->size()};
  }
  keep_alive_ = wants_keep_alive(special, version_);
  expect_continue_ = expectations_count && special.expect_continue && has_body();
  return {};
}

message::RequestHead RequestDecoder::head(std::string_view bytes) const noexcept {
  return {.method = method_,
          .version = version_,
          .target = target_.in(bytes),
          .path = implied_path_.empty() ? path_.in(bytes) : implied_path_,
          .query = query_.in(bytes),
          .host = host_.in(bytes),
          .fields = fields(bytes)};
}

std::expected<BodyStep, ParseError> RequestDecoder::decode_body(std::string_view bytes) {
  if (framing_.kind == Framing::Kind::chunked) return chunked_.decode(bytes, limits_, body_bytes_max_);
  if (framing_.size_bytes > body_bytes_max_) return std::unexpected(ParseError::body_too_large);
  const std::string_view data = bytes.substr(0, std::min<std::uint64_t>(body_left_bytes_, bytes.size()));
  body_left_bytes_ -= data.size();
  return BodyStep{data.size(), data, body_left_bytes_ == 0};
}

}  // namespace volt::http::http1
