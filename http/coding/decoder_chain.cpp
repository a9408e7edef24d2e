// SPDX-License-Identifier: MIT

#include "http/coding/decoder_chain.h"

#include "http/coding/internal/output_step.h"
#include "runtime/base/check.h"

namespace volt::http::coding {

DecoderChain::DecoderChain(const AppliedCodings& codings, const DecodeLimits& limits) : limits_(limits) {
  VOLT_CHECK(!codings.empty());
  outer_ = make_decoder(*(codings.end() - 1), limits);
  if (codings.size() == 2) inner_ = make_decoder(*codings.begin(), limits);
}

std::expected<DecodeStep, DecodeError> DecoderChain::update(std::string_view in, std::string& out,
                                                            std::size_t out_bytes_max) {
  if (error_) return std::unexpected(*error_);
  const std::size_t before = out.size();
  auto step = decode(in, out, out_bytes_max);
  if (step) {
    meter_.count(step->consumed, out.size() - before);
    if (meter_.over(limits_)) step = std::unexpected(DecodeError::too_large);
  }
  if (!step) {
    out.resize(before);
    error_ = step.error();
  }
  return step;
}

std::expected<void, DecodeError> DecoderChain::finish() const noexcept {
  if (error_) return std::unexpected(*error_);
  const auto outer_whole = outer_->finish();
  if (!outer_whole || !inner_) return outer_whole;
  return inner_->finish();
}

std::expected<DecodeStep, DecodeError> DecoderChain::decode(std::string_view in, std::string& out,
                                                            std::size_t out_bytes_max) {
  if (!inner_) return outer_->update(in, out, out_bytes_max);
  return decode_twice(in, out, out_bytes_max);
}

// Runs both decoders in turn, beginning with the inner one. The outer decoder writes to between_, so it runs only after
// the inner decoder has consumed between_ completely.
std::expected<DecodeStep, DecodeError> DecoderChain::decode_twice(std::string_view in, std::string& out,
                                                                  std::size_t out_bytes_max) {
  DecodeStep step;
  const std::size_t full = out.size() + out_bytes_max;
  for (;;) {
    if (out.size() < full) {
      const std::string_view left = std::string_view(between_).substr(between_taken_);
      const auto inner_step = inner_->update(left, out, full - out.size());
      if (!inner_step) return inner_step;
      inner_step_ = *inner_step;
      between_taken_ += inner_step->consumed;
    }
    step.output_full = inner_step_.output_full || between_taken_ < between_.size();
    if (step.output_full) break;
    if (step.consumed == in.size() && !outer_step_.output_full) break;
    between_.clear();
    between_taken_ = 0;
    const auto outer_step = outer_->update(in.substr(step.consumed), between_, kOutputStepBytes);
    if (!outer_step) return outer_step;
    outer_step_ = *outer_step;
    step.consumed += outer_step->consumed;
  }
  step.finished = outer_step_.finished && inner_step_.finished;
  return step;
}

}  // namespace volt::http::coding
