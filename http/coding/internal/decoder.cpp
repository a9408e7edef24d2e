// SPDX-License-Identifier: MIT

#include "http/coding/internal/decoder.h"

#include <algorithm>

#include "http/coding/internal/coders.h"
#include "http/coding/internal/output_step.h"
#include "runtime/base/check.h"

namespace volt::http::coding {

std::expected<DecodeStep, DecodeError> Decoder::update(std::string_view in, std::string& out,
                                                       std::size_t out_bytes_max) {
  VOLT_CHECK(out_bytes_max > 0);
  if (error_) return std::unexpected(*error_);
  const std::size_t before = out.size();
  const auto step = decode(in, out, out_bytes_max);
  if (!step) {
    out.resize(before);
    error_ = step.error();
  }
  return step;
}

std::expected<void, DecodeError> Decoder::finish() const noexcept {
  if (error_) return std::unexpected(*error_);
  if (!member_ended_) return std::unexpected(DecodeError::truncated);
  return {};
}

std::expected<DecodeStep, DecodeError> Decoder::decode(std::string_view in, std::string& out,
                                                       std::size_t out_bytes_max) {
  DecodeStep step;
  for (std::size_t room_left = out_bytes_max; step.consumed < in.size() || output_full_;) {
    if (room_left == 0) break;
    if (member_ended_) {
      const auto entered = enter_next_member();
      if (!entered) return std::unexpected(entered.error());
    }
    const auto progress = append(in.substr(step.consumed), out, std::min(room_left, kOutputStepBytes));
    if (!progress) return std::unexpected(progress.error());
    step.consumed += progress->consumed;
    room_left -= progress->written;
  }
  step.output_full = output_full_ || step.consumed < in.size();
  step.finished = member_ended_;
  return step;
}

std::expected<void, DecodeError> Decoder::enter_next_member() noexcept {
  if (members_ == limits_.members_max) return std::unexpected(DecodeError::too_many_members);
  if (!begin_next_member()) return std::unexpected(DecodeError::trailing_data);
  ++members_;
  member_ended_ = false;
  return {};
}

std::expected<Decoder::Progress, DecodeError> Decoder::append(std::string_view in, std::string& out,
                                                              std::size_t room_bytes) {
  std::expected<Progress, DecodeError> progress;
  append_written(out, room_bytes, [&](char* room) noexcept {
    progress = advance(in, room, room_bytes);
    return progress ? progress->written : 0;
  });
  if (!progress) return progress;
  member_ended_ = progress->member_ended;
  output_full_ = !member_ended_ && progress->written == room_bytes;
  const bool stuck = !member_ended_ && progress->written == 0 && progress->consumed == 0 && !in.empty();
  if (stuck) return std::unexpected(DecodeError::malformed);
  meter_.count(progress->consumed, progress->written);
  if (meter_.over(limits_)) return std::unexpected(DecodeError::too_large);
  return progress;
}

std::unique_ptr<Decoder> make_decoder(ContentCoding coding, const DecodeLimits& limits) {
  switch (coding) {
      // clang-format off
    case ContentCoding::gzip:     return make_gzip_decoder(limits);
    case ContentCoding::deflate:  return make_deflate_decoder(limits);
    case ContentCoding::br:       return make_brotli_decoder(limits);
    case ContentCoding::zstd:     return make_zstd_decoder(limits);
    case ContentCoding::identity: break;
      // clang-format on
  }
  VOLT_CHECK(coding != ContentCoding::identity);
  std::unreachable();
}

std::expected<std::string, DecodeError> decode_whole(ContentCoding coding, std::string_view coded,
                                                     const DecodeLimits& limits) {
  if (coding == ContentCoding::identity) {
    if (coded.size() > limits.bytes_max) return std::unexpected(DecodeError::too_large);
    return std::string(coded);
  }
  std::string content;
  const auto decoder = make_decoder(coding, limits);
  for (bool more = true; more;) {
    const auto step = decoder->update(coded, content, kOutputStepBytes);
    if (!step) return std::unexpected(step.error());
    coded.remove_prefix(step->consumed);
    more = step->output_full;
  }
  const auto whole = decoder->finish();
  if (!whole) return std::unexpected(whole.error());
  return content;
}

}  // namespace volt::http::coding
