// The decoders of content to which one or two codings were applied, as one.
//
// Threads: used by one thread at a time.
// Errors: as Decoder's. The limits are those of each decoder, and the ratio is that of the whole, so that a bomb inside
// a bomb is as small as one.
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
  // `codings` is not empty.
  DecoderChain(const AppliedCodings& codings, const DecodeLimits& limits);

  // As Decoder::update and Decoder::finish.
  std::expected<DecodeStep, DecodeError> update(std::string_view in, std::string& out, std::size_t out_bytes_max);
  std::expected<void, DecodeError> finish() const noexcept;

 private:
  std::expected<DecodeStep, DecodeError> decode(std::string_view in, std::string& out, std::size_t out_bytes_max);
  std::expected<DecodeStep, DecodeError> decode_twice(std::string_view in, std::string& out, std::size_t out_bytes_max);

  DecodeLimits limits_;
  DecodeMeter meter_;
  std::unique_ptr<Decoder> outer_;  // of the coding that was applied last
  std::unique_ptr<Decoder> inner_;  // null if there is but one
  std::string between_;             // what the outer one gave; at most kOutputStepBytes
  std::size_t between_taken_ = 0;   // and the inner one took
  DecodeStep outer_step_;
  DecodeStep inner_step_;
  std::optional<DecodeError> error_;
};

}  // namespace volt::http::coding
