// SPDX-License-Identifier: MIT

// Decodes the bytes of a connection into responses, for a client: one after the other, in the order of its requests.
// Does no I/O and reads no clock.
//
//   decoder.begin(Method::get);                      // the request's method decides whether a body follows
//   loop: receive;  decoder.decode_head(received)    until HeadState::complete
//   if (decoder.interim()) { use the head; drop head_bytes(); decoder.next_head(); decode the next head }
//   loop: step = decoder.decode_body(the bytes after head_bytes())  until step.done
//   if the connection ends before that, decoder.end() reports whether the response is complete
//
// Results do not depend on how the bytes were split into calls. After an error, after 101, and after a response without
// keep_alive(), no further response may be decoded from the connection.
//
// Threads: used by one thread at a time. Not copied or moved. Bounds: ResponseLimits.
// Source: RFC 9112 sections 2 to 8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include "http/http1/chunked_body.h"
#include "http/http1/internal/field_section.h"
#include "http/http1/internal/response_error.h"
#include "http/http1/internal/response_framing.h"
#include "http/http1/internal/status_line.h"
#include "http/http1/limits.h"
#include "http/http1/request_decoder.h"
#include "http/message/headers.h"
#include "http/message/method.h"

namespace volt::http::http1 {

struct ResponseLimits {
  std::size_t head_bytes_max = 64 * 1024;           // One head in bytes; each interim head counts separately.
  std::size_t fields_max = kFieldsCapacity;         // Number of header fields; at most kFieldsCapacity.
  std::size_t interim_max = 16;                     // Number of interim responses before one response.
  std::uint64_t body_bytes_max = 64 * 1024 * 1024;  // Decoded body in bytes.
  std::size_t chunk_extension_bytes_max = 256;      // Extensions of one chunk in bytes.
  std::size_t trailer_bytes_max = 8 * 1024;         // Trailer section in bytes.
  std::size_t trailer_fields_max = 32;              // Number of trailer fields.
};

// A decoded response head: views into the head's bytes. `fields` also points into the decoder.
struct ResponseHead {
  Version version = Version::http_1_1;
  Status status = Status::ok;
  std::string_view reason;
  Fields fields;
};

class ResponseDecoder {
 public:
  explicit ResponseDecoder(const ResponseLimits& limits = {}) noexcept;
  ResponseDecoder(const ResponseDecoder&) = delete;
  ResponseDecoder& operator=(const ResponseDecoder&) = delete;

  // Prepares for the next response; call before each one, with the method of its request.
  void begin(Method method) noexcept;

  // Decodes the head. `bytes` is everything received since the head's first byte. A later call passes these bytes
  // again, followed by more; only the new part is read. Once complete, further calls change nothing.
  std::expected<HeadState, ResponseError> decode_head(std::string_view bytes) noexcept;

  // Returns whether a byte of the response, or of an interim response before it, has been received.
  bool started() const noexcept { return line_.started() || interim_count_ > 0; }

  // The following members are valid once the head is complete.

  std::size_t head_bytes() const noexcept { return section_.end(); }
  // Returns the head. `bytes` must begin with the bytes given to decode_head(), which may have moved since.
  ResponseHead head(std::string_view bytes) const noexcept;

  // Returns whether the status is 1xx except 101: another head follows this one.
  bool interim() const noexcept;
  // Continues with the next head after an interim one. The bytes given to decode_head() must now begin after the
  // interim head.
  void next_head() noexcept;

  const ResponseFraming& framing() const noexcept { return framing_; }
  // Returns whether the connection persists after this response (RFC 9112 section 9.3). If so, the byte after the body
  // begins the next response.
  bool keep_alive() const noexcept { return keep_alive_; }

  // Decodes body bytes. `bytes` must begin after the bytes consumed so far. Consumes a prefix of `bytes` and returns
  // the data in it, possibly none. Without a body, the first call returns `done`. A body that lasts until the
  // connection closes is done only after end().
  std::expected<BodyStep, ResponseError> decode_body(std::string_view bytes);

  // Returns the trailers of a chunked body once the body is done. Valid until begin().
  Fields trailers() const noexcept { return chunked_.trailers(); }

  // Declares that no further byte will be received, for example because the connection was closed. May be called at any
  // time. Fails with cut_off if the response is incomplete; on success the body is done.
  std::expected<void, ResponseError> end() noexcept;

 private:
  enum class State : std::uint8_t { line, fields, body, done };

  void begin_head() noexcept;
  std::expected<void, ResponseError> decode_fields(std::string_view bytes) noexcept;
  std::expected<void, ResponseError> finish_head(std::string_view bytes) noexcept;
  std::expected<BodyStep, ResponseError> decode_plain(std::string_view bytes) noexcept;
  std::expected<BodyStep, ResponseError> decode_chunked(std::string_view bytes);
  Fields fields(std::string_view bytes) const noexcept { return {bytes.data(), {spans_.data(), section_.size()}}; }

  const ResponseLimits limits_;
  const Limits chunk_limits_;
  Method method_ = Method::get;
  State state_ = State::line;
  StatusLineReader line_;
  FieldSection section_;
  std::size_t interim_count_ = 0;

  ResponseFraming framing_;
  bool keep_alive_ = false;
  std::uint64_t body_left_bytes_ = 0;  // sized: missing body bytes; until_close: bytes left within body_bytes_max
  ChunkedBody chunked_;

  std::array<message::FieldSpan, kFieldsCapacity> spans_;
};

}  // namespace volt::http::http1
