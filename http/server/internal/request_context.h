// SPDX-License-Identifier: MIT

// RequestContext: what a connection needs while a request is in progress, from the request's first byte until its
// response has been sent: the received bytes, the decoder, the request, its body, the bytes to send. An idle connection
// has none; each worker keeps a pool of them.
//
//   received bytes:  | head | body as sent ...  pipelined requests |
//                    begin  cursor                              end
//
// A connection calls, for each request: room() and add_received(), decode_head() until it is complete, open_request(),
// one of the functions that decode the body until body_done(), respond(), finish().
//
// The buffer moves its bytes while a head is incomplete. The decoder, which keeps offsets, does not mind. Once
// open_request() has been called the head stays where it is until finish(), however much of the body is received: a
// handler and the middleware around it hold views of the head across their waits (http/web/request.h), and so do the
// parameters of its route. So open_request() makes the room for the rest of the body first, and a request is opened and
// routed once.
//
// Rejected: offsets in the Request, too, which would let the head move. Views that a handler holds would become invalid
// all the same, so the head would still have to stay while a handler runs; and every access would compute a view.
//
// Threads: belongs to one connection at a time. Lifetime: an open request is valid until finish().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/http1/request_decoder.h"
#include "http/server/response_encoder.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/stream.h"

namespace volt::http::server {

// Upper bound of the memory that a gathered body takes, as a multiple of its size: a body that grows is copied.
inline constexpr std::uint64_t kCopiesOfBody = 2;

class RequestContext {
 public:
  explicit RequestContext(const http1::Limits& limits);

  // The place where the next bytes are received; never small. Invalidates the pieces of a body, and all views of the
  // received bytes unless a request is open.
  [[nodiscard]] std::span<std::byte> room();
  void add_received(std::size_t count) noexcept { end_ += count; }
  // Number of bytes that have been received and belong to no finished request.
  [[nodiscard]] std::size_t received_bytes() const noexcept { return end_ - begin_; }

  // True if the first byte of a request has been received.
  [[nodiscard]] bool started() const noexcept { return decoder_.started(); }
  // True if no received byte is left and nothing is to be sent.
  [[nodiscard]] bool idle() const noexcept { return begin_ == end_ && out_.size() == sent_ && !started(); }

  [[nodiscard]] std::expected<http1::HeadState, http1::ParseError> decode_head() noexcept;
  [[nodiscard]] const http1::RequestDecoder& decoder() const noexcept { return decoder_; }

  // Makes the request whose head is complete. Throws std::bad_alloc.
  Request& open_request(BodySource* source = nullptr);
  [[nodiscard]] Request& request() noexcept { return *request_; }

  // The following need an open request.

  // Gathers the part of the body that has been received. True if that completes the body.
  [[nodiscard]] std::expected<bool, http1::ParseError> decode_body();
  // The body gathered so far.
  [[nodiscard]] std::string_view gathered() const noexcept {
    return body_view_.empty() ? std::string_view(body_) : body_view_;
  }
  // Gathers as decode_body() does, and gives the request its body when that is complete.
  [[nodiscard]] std::expected<bool, http1::ParseError> gather_body();
  // Does so if all of a body whose size is known has been received; otherwise does nothing.
  void gather_if_whole();
  // The next piece of the body that has been received and not gathered; empty if there is none. Valid until room() is
  // called.
  [[nodiscard]] std::expected<std::string_view, http1::ParseError> decode_piece();
  [[nodiscard]] bool body_done() const noexcept { return body_done_ || !decoder_.has_body(); }
  // Drops the part of the body that has been received and not gathered. The body's size is not limited any more.
  void drop_body();
  void limit_body(std::uint64_t bytes_max) noexcept { decoder_.limit_body(bytes_max); }
  [[nodiscard]] std::size_t body_bytes() const noexcept { return body_.size() + body_view_.size(); }

  // Composes the response to the open request; of a streamed response, the head.
  void respond(const Response& response, bool keep_alive, std::string_view date);
  [[nodiscard]] BodyFraming body_framing(const Response& response) const noexcept;
  // Ends the open request, which is destroyed: its response has been composed.
  void finish() noexcept;

  // Composes the response to bytes that are not a valid request; the connection ends with it.
  void refuse(Status status, std::string_view date);
  void write_continue() { out_ += kContinue; }

  // Takes the bytes that were received after the request, for another protocol.
  [[nodiscard]] std::string take_rest();

  // The composed bytes; the body of a response is appended here.
  [[nodiscard]] std::string& out() noexcept { return out_; }
  // The composed bytes that have not been sent.
  [[nodiscard]] std::span<const std::byte> unsent() const noexcept;
  void add_sent(std::size_t count) noexcept;

  // Removes all traces of the connection, and frees strings that have grown large. False if the context is too large to
  // be pooled.
  [[nodiscard]] bool recycle() noexcept;

 private:
  [[nodiscard]] std::string_view received_from(std::size_t begin) const noexcept {
    return {buffer_.get() + begin, end_ - begin};
  }
  [[nodiscard]] ResponseEncoderOptions encoder_options(bool keep_alive, std::string_view date) const noexcept;
  void make_room_for_body();
  void keep_body_view();
  void gather(std::string_view data);
  void move_to_front() noexcept;
  void grow();

  http1::RequestDecoder decoder_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t cursor_ = 0;  // once the head is complete: how far the body has been decoded
  std::size_t end_ = 0;
  std::string_view body_view_;  // into the buffer: a body that was received in one piece is not copied
  std::string body_;            // every other gathered body
  bool body_done_ = false;
  std::optional<Request> request_;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace volt::http::server
