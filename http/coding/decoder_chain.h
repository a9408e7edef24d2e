// SPDX-License-Identifier: MIT

// Decodes content to which one or two codings were applied, as one decoder.
//
// Threads: used by one thread at a time.
// Errors: those of Decoder. The limits apply to each decoder. The ratio also applies to the whole chain, so that a bomb
// inside a bomb cannot exceed the ratio that is allowed for one coding.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/coding/internal/decoder.h"
#include "http/coding/negotiation.h"

namespace volt::http::coding {

class DecoderChain {
 public:
  // `codings` must not be empty.
  DecoderChain(const AppliedCodings& codings, const DecodeLimits& limits);

  // See Decoder::update and Decoder::finish.
  std::expected<DecodeStep, DecodeError> update(std::string_view in, std::string& out, std::size_t out_bytes_max);
  std::expected<void, DecodeError> finish() const noexcept;

 private:
  std::expected<DecodeStep, DecodeError> decode(std::string_view in, std::string& out, std::size_t out_bytes_max);
  std::expected<DecodeStep, DecodeError> decode_twice(std::string_view in, std::string& out, std::size_t out_bytes_max);

  DecodeLimits limits_;
  DecodeMeter meter_;
  std::unique_ptr<Decoder> outer_;  // for the coding that was applied last
  std::unique_ptr<Decoder> inner_;  // null if there is only one coding
  std::string between_;             // output of the outer decoder; at most kOutputStepBytes
  std::size_t between_taken_ = 0;   // bytes of between_ that the inner decoder has consumed
  DecodeStep outer_step_;
  DecodeStep inner_step_;
  std::optional<DecodeError> error_;
};

}  // namespace volt::http::coding
