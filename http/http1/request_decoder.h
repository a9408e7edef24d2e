// Turns the bytes of a connection into requests, one after the other. Does no I/O and knows no time.
//
//   decoder.reset();
//   loop: receive;  state = decoder.decode_head(received)  until HeadState::complete
//   loop: step = decoder.decode_body(the bytes behind head_bytes())  until step.done
//   Request request(decoder.head(received), body);  ...  drop the consumed bytes, start again with what is left
//
// After an error nothing more may be decoded from the connection; status_for(error) says what to answer.
//
// Verdicts do not depend on how the bytes were cut into calls: the first offence in the order of the bytes decides.
//
// Threads: used by one thread at a time. Not copied or moved: a few KiB, meant to live in a pooled object.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "http/http1/chunked_body.h"
#include "http/http1/internal/field_section.h"
#include "http/http1/internal/framing.h"
#include "http/http1/internal/parse_error.h"
#include "http/http1/internal/request_line.h"
#include "http/http1/internal/special_fields.h"
#include "http/http1/limits.h"
#include "http/message/request_head.h"

namespace volt::http::http1 {

enum class HeadState : std::uint8_t { need_more, complete };

class RequestDecoder {
 public:
  // `limits` must outlive the decoder.
  explicit RequestDecoder(const Limits& limits) noexcept : limits_(limits) {}
  RequestDecoder(const RequestDecoder&) = delete;
  RequestDecoder& operator=(const RequestDecoder&) = delete;

  // Before each request of a connection but the first. Cheap.
  void reset() noexcept;

  // `bytes` is everything received since the message's first byte, pipelined bytes behind it included; in a later call
  // the same bytes with more behind them, perhaps at another address. Only the new part is read. Once complete, more
  // calls change nothing.
  std::expected<HeadState, ParseError> decode_head(std::string_view bytes) noexcept;

  // True once a byte of a request has come: an idle connection that ends or times out is no error (empty lines do not
  // count, RFC 9112 section 2.2).
  bool started() const noexcept { return line_.started(); }

  // As far as is known, the client asked with HEAD: whatever it is answered has no body (RFC 9110 section 9.3.2).
  bool head_only() const noexcept { return state_ != State::line && method_ == Method::head; }

  // The following, once the head is complete.

  // The head's length. The body begins there.
  std::size_t head_bytes() const noexcept { return head_bytes_; }

  // Views into `bytes`, which begin with the same bytes as those of decode_head, wherever they lie now. The fields look
  // into the decoder too, until reset().
  message::RequestHead head(std::string_view bytes) const noexcept;

  const Framing& framing() const noexcept { return framing_; }
  // There are body bytes to come: decode_body must be called until it is done.
  bool has_body() const noexcept { return framing_.kind == Framing::Kind::chunked || framing_.size_bytes > 0; }
  // The client lets the connection go on after this request (RFC 9112 section 9.3).
  bool keep_alive() const noexcept { return keep_alive_; }
  // The client waits for a 100 before it sends the body (RFC 9110 section 10.1.1).
  bool expect_continue() const noexcept { return expect_continue_; }

  // Bounds what is decoded from here on, instead of Limits::body_bytes_max, until reset().
  void limit_body(std::uint64_t bytes_max) noexcept { body_bytes_max_ = bytes_max; }
  // How much of a sized body is to come; empty if only its end will tell.
  std::optional<std::uint64_t> body_left_bytes() const noexcept {
    if (framing_.kind == Framing::Kind::chunked) return std::nullopt;
    return body_left_bytes_;
  }

  // `bytes` are those behind what was consumed so far. Consumes a prefix and gives the data in it, a view into `bytes`;
  // may consume without data, and gives at most one chunk's data a call. Bytes behind the message are left alone.
  // Done at once if there is no body. Fails with body_too_large, at the first call if the size was announced.
  std::expected<BodyStep, ParseError> decode_body(std::string_view bytes);

  // Once the body is done: the fields behind a chunked body. Valid until reset().
  Fields trailers() const noexcept { return chunked_.trailers(); }

 private:
  struct ByteSpan {
    std::size_t begin = 0;
    std::size_t size = 0;
    std::string_view in(std::string_view bytes) const noexcept { return {bytes.data() + begin, size}; }
  };
  enum class State : std::uint8_t { line, fields, complete };

  std::expected<void, ParseError> finish_line(std::string_view bytes) noexcept;
  std::expected<HeadState, ParseError> read_fields(std::string_view bytes) noexcept;
  std::expected<void, ParseError> finish_head(std::string_view bytes) noexcept;
  Fields fields(std::string_view bytes) const noexcept { return {bytes.data(), {spans_.data(), section_.size()}}; }

  const Limits& limits_;
  State state_ = State::line;
  RequestLineReader line_;
  FieldSection section_;

  // The head, as places in the bytes.
  Method method_ = Method::get;
  Version version_ = Version::http_1_1;
  ByteSpan target_;
  ByteSpan path_;
  ByteSpan query_;
  ByteSpan host_;
  std::string_view implied_path_;  // static text, if the target has no path of its own
  std::size_t head_bytes_ = 0;

  Framing framing_;
  bool keep_alive_ = false;
  bool expect_continue_ = false;

  std::uint64_t body_bytes_max_ = 0;
  std::uint64_t body_left_bytes_ = 0;  // if sized
  ChunkedBody chunked_;

  std::array<message::FieldSpan, kFieldsCapacity> spans_;
};

}  // namespace volt::http::http1
