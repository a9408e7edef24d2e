// SPDX-License-Identifier: MIT

// Decodes the chunked transfer coding, RFC 9112 section 7.1, including the trailers.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "http/http1/internal/chunk_line.h"
#include "http/http1/internal/field_section.h"
#include "http/http1/internal/parse_error.h"
#include "http/http1/limits.h"
#include "http/message/headers.h"

namespace volt::http::http1 {

// Returns whether a field called `name` is allowed in a head but not as a trailer. Such a trailer is refused when it is
// received, and it is never sent.
bool forbidden_trailer(std::string_view name) noexcept;

// The result of one call of decode(): how many bytes it consumed, and the data among them.
struct BodyStep {
  std::size_t consumed = 0;
  std::string_view data;  // within the consumed bytes
  bool done = false;      // the body has ended

  bool operator==(const BodyStep&) const = default;
};

class ChunkedBody {
 public:
  void reset() noexcept;

  // Consumes bytes up to the end of the next piece of data, or all bytes. Never consumes a byte after the message. Uses
  // `body_bytes_max` instead of `limits.body_bytes_max`. Fails with bad_chunk, bad_chunk_extension, body_too_large,
  // bad_trailer.
  std::expected<BodyStep, ParseError> decode(std::string_view bytes, const Limits& limits,
                                             std::uint64_t body_bytes_max);

  // Returns the trailers once the body is done. They are kept apart from the header fields, so that no trailer can be
  // taken for a header field (RFC 9110 section 6.5.1).
  Fields trailers() const noexcept { return {trailer_bytes_.data(), {trailer_spans_.data(), trailer_count_}}; }

 private:
  enum class State : std::uint8_t { line, data, data_return, data_feed, last, final_feed, trailers, done };

  std::expected<void, ParseError> take_line_byte(char c, const Limits& limits, std::uint64_t body_bytes_max) noexcept;
  std::expected<void, ParseError> begin_chunk(const Limits& limits, std::uint64_t body_bytes_max) noexcept;
  bool extensions_outweigh_data(const Limits& limits) const noexcept;
  bool take_delimiter(char c) noexcept;
  std::expected<std::size_t, ParseError> take_trailers(std::string_view bytes, const Limits& limits);

  State state_ = State::line;
  ChunkLine line_;
  std::uint64_t chunk_left_bytes_ = 0;
  std::uint64_t data_bytes_ = 0;       // announced by all chunks so far
  std::uint64_t extension_bytes_ = 0;  // in all chunks so far

  // The trailers. Their bytes are copied, because trailers are rare and may arrive in pieces.
  FieldSection section_;
  std::string trailer_bytes_;
  std::vector<message::FieldSpan> trailer_spans_;
  std::size_t trailer_count_ = 0;
};

}  // namespace volt::http::http1
