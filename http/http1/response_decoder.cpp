// SPDX-License-Identifier: MIT

#include "http/http1/response_decoder.h"

#include <algorithm>
#include <span>

#include "http/http1/internal/special_fields.h"

namespace volt::http::http1 {
namespace {

ResponseError response_error_for(FieldSection::Verdict verdict) noexcept {
  switch (verdict) {
    case FieldSection::Verdict::bad_length:
      return ResponseError::bad_length;
    case FieldSection::Verdict::too_many:
      return ResponseError::too_many_fields;
    case FieldSection::Verdict::need_more:
    case FieldSection::Verdict::complete:
    case FieldSection::Verdict::malformed:
      return ResponseError::bad_field;
  }
  std::unreachable();
}

ResponseError response_error_for(ParseError error) noexcept {
  switch (error) {
    case ParseError::body_too_large:
      return ResponseError::body_too_large;
    case ParseError::bad_trailer:
      return ResponseError::bad_trailer;
    default:  // the other errors of ChunkedBody
      return ResponseError::bad_chunk;
  }
}

Limits chunk_limits(const ResponseLimits& limits) noexcept {
  return {.chunk_extension_bytes_max = limits.chunk_extension_bytes_max,
          .trailer_bytes_max = limits.trailer_bytes_max,
          .trailer_fields_max = limits.trailer_fields_max};
}

}  // namespace

ResponseDecoder::ResponseDecoder(const ResponseLimits& limits) noexcept
    : limits_(limits), chunk_limits_(chunk_limits(limits)) {}

void ResponseDecoder::begin(Method method) noexcept {
  method_ = method;
  interim_count_ = 0;
  chunked_.reset();
  begin_head();
}

void ResponseDecoder::begin_head() noexcept {
  state_ = State::line;
  line_ = {};
  framing_ = {};
  keep_alive_ = false;
}

std::expected<HeadState, ResponseError> ResponseDecoder::decode_head(std::string_view bytes) noexcept {
  // Bytes beyond the limit are never read. Otherwise the result would depend on how many bytes arrive at once.
  const std::string_view visible = bytes.substr(0, limits_.head_bytes_max);
  if (state_ == State::line) {
    const auto line = line_.read(visible);
    if (!line) return std::unexpected(line.error());
    if (*line) {
      section_.reset(std::span(spans_).first(std::min(limits_.fields_max, kFieldsCapacity)), line_.end());
      state_ = State::fields;
    }
  }
  if (state_ == State::fields) {
    if (const auto decoded = decode_fields(visible); !decoded) return std::unexpected(decoded.error());
  }
  if (state_ >= State::body) return HeadState::complete;
  if (visible.size() == limits_.head_bytes_max) return std::unexpected(ResponseError::head_too_large);
  return HeadState::need_more;
}

std::expected<void, ResponseError> ResponseDecoder::decode_fields(std::string_view bytes) noexcept {
  const FieldSection::Verdict verdict = section_.read(bytes);
  if (verdict == FieldSection::Verdict::need_more) return {};
  if (verdict != FieldSection::Verdict::complete) return std::unexpected(response_error_for(verdict));
  return finish_head(bytes);
}

std::expected<void, ResponseError> ResponseDecoder::finish_head(std::string_view bytes) noexcept {
  const SpecialFields special = special_fields(fields(bytes));
  const auto framing = response_framing(method_, line_.status(), special.framing, line_.version());
  if (!framing) return std::unexpected(framing.error());
  if (interim() && interim_count_ == limits_.interim_max) return std::unexpected(ResponseError::too_many_interim);
  framing_ = *framing;
  const bool endless = framing_.kind == ResponseFraming::Kind::until_close;
  body_left_bytes_ = endless ? limits_.body_bytes_max : framing_.size_bytes;
  keep_alive_ = !endless && line_.status() != Status::switching_protocols && wants_keep_alive(special, line_.version());
  state_ = State::body;
  return {};
}

ResponseHead ResponseDecoder::head(std::string_view bytes) const noexcept {
  return {.version = line_.version(), .status = line_.status(), .reason = line_.reason(bytes), .fields = fields(bytes)};
}

bool ResponseDecoder::interim() const noexcept {
  return code(line_.status()) < 200 && line_.status() != Status::switching_protocols;
}

void ResponseDecoder::next_head() noexcept {
  ++interim_count_;
  begin_head();
}

std::expected<BodyStep, ResponseError> ResponseDecoder::decode_body(std::string_view bytes) {
  if (state_ == State::done) return BodyStep{0, {}, true};
  const auto step = framing_.kind == ResponseFraming::Kind::chunked ? decode_chunked(bytes) : decode_plain(bytes);
  if (step && step->done) state_ = State::done;
  return step;
}

std::expected<BodyStep, ResponseError> ResponseDecoder::decode_chunked(std::string_view bytes) {
  const auto step = chunked_.decode(bytes, chunk_limits_, limits_.body_bytes_max);
  if (!step) return std::unexpected(response_error_for(step.error()));
  return *step;
}

std::expected<BodyStep, ResponseError> ResponseDecoder::decode_plain(std::string_view bytes) noexcept {
  const bool endless = framing_.kind == ResponseFraming::Kind::until_close;
  if (endless ? bytes.size() > body_left_bytes_ : framing_.size_bytes > limits_.body_bytes_max) {
    return std::unexpected(ResponseError::body_too_large);
  }
  const std::string_view data = bytes.substr(0, std::min<std::uint64_t>(body_left_bytes_, bytes.size()));
  body_left_bytes_ -= data.size();
  return BodyStep{data.size(), data, !endless && body_left_bytes_ == 0};
}

std::expected<void, ResponseError> ResponseDecoder::end() noexcept {
  const bool closes = state_ == State::body && framing_.kind == ResponseFraming::Kind::until_close;
  // An empty body is complete even if decode_body() was never called.
  const bool empty =
      state_ == State::body && !interim() && body_left_bytes_ == 0 && framing_.kind != ResponseFraming::Kind::chunked;
  if (!closes && !empty && state_ != State::done) return std::unexpected(ResponseError::cut_off);
  state_ = State::done;
  return {};
}

}  // namespace volt::http::http1
