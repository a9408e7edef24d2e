// SPDX-License-Identifier: MIT

// Sample content to encode, and a decoder fed in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/coding/internal/decoder.h"

namespace volt::http::coding {

inline constexpr ContentCoding kEncodable[] = {ContentCoding::gzip, ContentCoding::br, ContentCoding::zstd};

// For content that is intentionally dense: only bytes_max applies.
inline constexpr DecodeLimits kAnyRatio{.ratio_max = std::numeric_limits<std::uint64_t>::max()};

// Returns JSON lines whose numbers differ: they compress about fivefold.
inline std::string sample_text(std::size_t size) {
  std::string text;
  for (std::uint32_t i = 1; text.size() < size; ++i) {
    const std::uint32_t id = i * 2654435761U;
    text += "{\"id\":" + std::to_string(id) + ",\"name\":\"item " + std::to_string(i) + "\",\"stock\":true}\n";
  }
  text.resize(size);
  return text;
}

// Returns content that does not compress.
inline std::string sample_noise(std::size_t size) {
  std::string noise(size, '\0');
  std::uint64_t state = 0x9e3779b97f4a7c15U;
  for (char& byte : noise) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<char>(state >> 32);
  }
  return noise;
}

// Feeds one piece to `decoder` until it is consumed, with at most `out_bytes_max` bytes of output per call.
inline std::expected<DecodeStep, DecodeError> decode_piece(Decoder& decoder, std::string_view piece, std::string& out,
                                                           std::size_t out_bytes_max) {
  const auto owned = std::make_unique<char[]>(piece.size());  // a copy, so that ASan reports a read past its end
  piece.copy(owned.get(), piece.size());
  std::string_view left(owned.get(), piece.size());
  for (;;) {
    const std::size_t before = out.size();
    const auto step = decoder.update(left, out, out_bytes_max);
    if (!step) return step;
    if (out.size() - before > out_bytes_max) return std::unexpected(DecodeError::out_of_memory);
    left.remove_prefix(step->consumed);
    if (!step->output_full) return step;
  }
}

inline std::expected<std::string, DecodeError> decode_pieces(ContentCoding coding,
                                                             const std::vector<std::string_view>& pieces,
                                                             std::size_t out_bytes_max,
                                                             const DecodeLimits& limits = kAnyRatio) {
  std::string out;
  const auto decoder = make_decoder(coding, limits);
  for (const std::string_view piece : pieces) {
    const auto step = decode_piece(*decoder, piece, out, out_bytes_max);
    if (!step) return std::unexpected(step.error());
  }
  const auto whole = decoder->finish();
  if (!whole) return std::unexpected(whole.error());
  return out;
}

inline std::vector<std::string_view> bytes_apart(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (std::size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
  return pieces;
}

}  // namespace volt::http::coding
