// Turns the bytes of a connection into answers, for a client: one after the other, in the order of its requests. Does no
// I/O and knows no time.
//
//   decoder.begin(Method::get);                      // what was asked decides whether a body follows
//   loop: receive;  decoder.decode_head(received)    until HeadState::complete
//   if (decoder.interim()) { use the head; drop head_bytes(); decoder.next_head(); again }
//   loop: step = decoder.decode_body(the bytes behind head_bytes())  until step.done
//   and, if the connection ends meanwhile, decoder.end() says whether that is the answer's end
//
// Verdicts do not depend on how the bytes were cut into calls. After an error, and after 101 or an answer that does not
// keep_alive(), no further answer is to be decoded from the connection.
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
  std::size_t head_bytes_max = 64 * 1024;           // of one head, interim ones each
  std::size_t fields_max = kFieldsCapacity;         // at most that many
  std::size_t interim_max = 16;                     // before one answer
  std::uint64_t body_bytes_max = 64 * 1024 * 1024;  // decoded
  std::size_t chunk_extension_bytes_max = 256;      // of one chunk
  std::size_t trailer_bytes_max = 8 * 1024;
  std::size_t trailer_fields_max = 32;
};

// Views into the head's bytes and, the fields, into the decoder.
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

  // Before each answer: the method of the request.
  void begin(Method method) noexcept;

  // `bytes` is everything received since the head's first byte, in a later call the same with more behind. Only the new
  // part is read. Once complete, more calls change nothing.
  std::expected<HeadState, ResponseError> decode_head(std::string_view bytes) noexcept;

  // A byte of the answer, or of an interim one before it, has come.
  bool started() const noexcept { return line_.started() || interim_count_ > 0; }

  // The following, once the head is complete.

  std::size_t head_bytes() const noexcept { return section_.end(); }
  // `bytes` begin with those of decode_head, wherever they lie now.
  ResponseHead head(std::string_view bytes) const noexcept;

  // 1xx but 101: another head follows behind this one.
  bool interim() const noexcept;
  // After an interim head: the bytes given from here on begin behind it.
  void next_head() noexcept;

  const ResponseFraming& framing() const noexcept { return framing_; }
  // The connection lives on behind this answer (RFC 9112 section 9.3), and its next byte is the next answer's.
  bool keep_alive() const noexcept { return keep_alive_; }

  // `bytes` are those behind what was consumed so far. Consumes a prefix and gives the data in it; may consume without
  // data. Done at once if there is no body; for one that lasts until the close only end() tells.
  std::expected<BodyStep, ResponseError> decode_body(std::string_view bytes);

  // Once the body is done: the fields behind a chunked body. Valid until begin().
  Fields trailers() const noexcept { return chunked_.trailers(); }

  // At any time: no further byte will come. Fails with cut_off unless the answer is whole, which it is from now on.
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
  std::uint64_t body_left_bytes_ = 0;  // sized: of the body; until_close: until it is too large
  ChunkedBody chunked_;

  std::array<message::FieldSpan, kFieldsCapacity> spans_;
};

}  // namespace volt::http::http1
