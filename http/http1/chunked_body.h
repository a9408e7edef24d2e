// The chunked transfer coding, RFC 9112 section 7.1: bytes in, the data in them out, up to and with the trailers.
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

// Whether a field of that name may stand in the head only: neither taken as a trailer nor sent as one.
bool forbidden_trailer(std::string_view name) noexcept;

// What one call of decode took from the front of its bytes.
struct BodyStep {
  std::size_t consumed = 0;
  std::string_view data;  // within the consumed bytes
  bool done = false;      // the message is over

  bool operator==(const BodyStep&) const = default;
};

class ChunkedBody {
 public:
  void reset() noexcept;

  // `body_bytes_max` counts instead of the one in `limits`. Takes bytes up to the end of the next data, or all of them.
  // Never takes a byte behind the message.
  // Fails with bad_chunk, bad_chunk_extension, body_too_large, bad_trailer.
  std::expected<BodyStep, ParseError> decode(std::string_view bytes, const Limits& limits,
                                             std::uint64_t body_bytes_max);

  // Once done. Kept apart from the header fields: no trailer can pass for one (RFC 9110 section 6.5.1).
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
  std::uint64_t data_bytes_ = 0;       // announced so far
  std::uint64_t extension_bytes_ = 0;  // of all chunks so far

  // Copied, since they come rarely and in pieces.
  FieldSection section_;
  std::string trailer_bytes_;
  std::vector<message::FieldSpan> trailer_spans_;
  std::size_t trailer_count_ = 0;
};

}  // namespace volt::http::http1
