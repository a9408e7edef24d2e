// SPDX-License-Identifier: MIT

// DecodedSource: a request's body, decoded from its content codings while it is read.
//
// Threads: the request's task. Lifetime: stored in the request that it reads from.
// Memory: one piece, and the decoders' buffers. rest() also holds the whole decoded body, whose size is limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/coding/decoder_chain.h"
#include "http/web/body_source.h"
#include "http/web/request.h"

namespace volt::http::middleware {

class DecodedSource final : public BodySource {
 public:
  // No part of the request's body may have been read yet. `codings` is not empty.
  DecodedSource(const Request& request, const coding::AppliedCodings& codings, const coding::DecodeLimits& limits)
      : chain_(std::make_unique<coding::DecoderChain>(codings, limits)),
        coded_(request.body_source()),
        input_(request.body()),
        bytes_left_(limits.bytes_max) {}

  [[nodiscard]] Task<std::optional<std::string_view>> next() override;
  [[nodiscard]] Task<std::string_view> rest() override;
  [[nodiscard]] bool at_end() const noexcept override { return at_end_; }
  void limit(std::uint64_t bytes_max) noexcept override { bytes_left_ = bytes_max; }
  [[nodiscard]] Fields trailers() const noexcept override { return coded_ != nullptr ? coded_->trailers() : Fields(); }
  bool send_interim(const Response& interim) override { return coded_ != nullptr && coded_->send_interim(interim); }

 private:
  // Decodes into piece_. Returns false if more input is needed.
  [[nodiscard]] bool decode();
  [[nodiscard]] Task<bool> read_input();
  void end();

  std::unique_ptr<coding::DecoderChain> chain_;
  BodySource* coded_;  // null: the whole coded body is in input_
  std::string_view input_;
  std::uint64_t bytes_left_;
  bool output_full_ = false;
  bool has_input_come_ = false;
  bool at_end_ = false;
  std::string piece_;
  std::string whole_;
};

}  // namespace volt::http::middleware
