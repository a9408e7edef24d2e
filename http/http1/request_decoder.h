// SPDX-License-Identifier: MIT

// Decodes the bytes of a connection into requests, one after the other. Does no I/O and reads no clock.
//
//   decoder.reset();
//   loop: receive;  state = decoder.decode_head(received)  until HeadState::complete
//   loop: step = decoder.decode_body(the bytes after head_bytes())  until step.done
//   Request request(decoder.head(received), body);  ...  drop the consumed bytes, start again with the remaining ones
//
// After an error, nothing more may be decoded from the connection; status_for(error) is the status of the response.
//
// Results do not depend on how the bytes were split into calls: the first error in the order of the bytes is reported.
//
// Threads: used by one thread at a time. Not copied or moved: it has a few KiB and is meant to be part of a pooled
// object.
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
#include "http/http1/internal/host_check.h"
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

  // Prepares for the next request; call before each request of a connection except the first. Cheap.
  void reset() noexcept;

  // Decodes the head. `bytes` is everything received since the message's first byte, including pipelined bytes after
  // the message. A later call passes these bytes again, followed by more, perhaps at another address; only the new part
  // is read. Once complete, further calls change nothing.
  std::expected<HeadState, ParseError> decode_head(std::string_view bytes) noexcept;

  // Returns true once a byte of a request has been received. Before that, an idle connection that ends or times out is
  // not an error. Empty lines do not count (RFC 9112 section 2.2).
  bool started() const noexcept { return line_.started(); }

  // Returns whether the method is HEAD, as far as the bytes received so far show. No response to HEAD has a body (RFC
  // 9110 section 9.3.2).
  bool head_only() const noexcept { return state_ != State::line && method_ == Method::head; }

  // The following members are valid once the head is complete.

  // Returns the head's length in bytes, which is the offset of the body.
  std::size_t head_bytes() const noexcept { return head_bytes_; }

  // Returns the head. `bytes` must begin with the bytes given to decode_head(), which may have moved since. The result
  // points into `bytes`. Its fields also point into the decoder and are valid until reset().
  message::RequestHead head(std::string_view bytes) const noexcept;

  const Framing& framing() const noexcept { return framing_; }
  // Returns whether body bytes follow: decode_body() must then be called until it is done.
  bool has_body() const noexcept { return framing_.kind == Framing::Kind::chunked || framing_.size_bytes > 0; }
  // Returns whether the client allows further requests on the connection (RFC 9112 section 9.3).
  bool keep_alive() const noexcept { return keep_alive_; }
  // Returns whether the client waits for a 100 (Continue) before it sends the body (RFC 9110 section 10.1.1).
  bool expect_continue() const noexcept { return expect_continue_; }

  // Replaces the limit Limits::body_bytes_max for the rest of this request, until reset().
  void limit_body(std::uint64_t bytes_max) noexcept { body_bytes_max_ = bytes_max; }
  // Returns the number of bytes missing from a sized body; nullopt if the body is chunked.
  std::optional<std::uint64_t> body_left_bytes() const noexcept {
    if (framing_.kind == Framing::Kind::chunked) return std::nullopt;
    return body_left_bytes_;
  }

  // Decodes body bytes. `bytes` must begin after the bytes consumed so far. Consumes a prefix of `bytes` and returns
  // the data in it as a view into `bytes`: possibly none, and at most the data of one chunk. Bytes after the message
  // are not consumed. Without a body, the first call returns `done`. Fails with the errors of ChunkedBody::decode(). A
  // sized body that exceeds the limit fails with body_too_large at the first call.
  std::expected<BodyStep, ParseError> decode_body(std::string_view bytes);

  // Returns the trailers of a chunked body once the body is done. Valid until reset().
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
  HostCheck host_check_;  // kept by reset()

  // The parts of the head, as offsets into the received bytes, which may move.
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
  std::uint64_t body_left_bytes_ = 0;  // valid if the body is sized
  ChunkedBody chunked_;

  std::array<message::FieldSpan, kFieldsCapacity> spans_;
};

}  // namespace volt::http::http1
