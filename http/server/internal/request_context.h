// RequestContext: what a connection needs while a request is in progress, from its first byte until its answer is on its way:
// the bytes received, the decoder, the body, the bytes to send. An idle connection has none; each worker keeps a pool
// of them.
//
//   received bytes:  | head | body as sent ..  pipelined requests |
//                    begin  cursor                             end
//
// Threads: belongs to one connection at a time. Lifetime: a request made of it is valid until finish().
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

// A body that is gathered takes so many times its bytes at most: as it grows it is moved.
inline constexpr std::uint64_t kCopiesOfBody = 2;

class RequestContext {
 public:
  explicit RequestContext(const http1::Limits& limits);

  // Where the next bytes are received; never small. May move the bytes that are here.
  [[nodiscard]] std::span<std::byte> room();
  void add_received(std::size_t count) noexcept { end_ += count; }

  // Whether a request has begun.
  [[nodiscard]] bool started() const noexcept { return decoder_.started(); }
  // Nothing received is left, nothing is to be sent.
  [[nodiscard]] bool idle() const noexcept { return begin_ == end_ && out_.size() == sent_ && !started(); }

  [[nodiscard]] std::expected<http1::HeadState, http1::ParseError> decode_head() noexcept;
  // Gathers what has come of the body. True when the whole body is here.
  [[nodiscard]] std::expected<bool, http1::ParseError> decode_body();
  // The same, if all of a body is here whose size is known; else nothing.
  void gather_if_whole();
  // The next piece of what has come and was not gathered; empty if there is none. Valid until room() is asked for.
  [[nodiscard]] std::expected<std::string_view, http1::ParseError> decode_piece();
  [[nodiscard]] bool body_done() const noexcept { return body_done_ || !decoder_.has_body(); }
  // Drops what has come of it and was not gathered; its limit no longer counts.
  void drop_body();
  void limit_body(std::uint64_t bytes_max) noexcept { decoder_.limit_body(bytes_max); }
  [[nodiscard]] const http1::RequestDecoder& decoder() const noexcept { return decoder_; }
  [[nodiscard]] std::size_t body_bytes() const noexcept { return body_.size() + body_view_.size(); }

  // Makes the request whose head is here, with what has been gathered of its body.
  Request& open_request(BodySource* source = nullptr) noexcept;
  // From here until finish() the head stays where it is, though more of the body is received: for an open request whose
  // body is read while it is served. To be called before open_request().
  void pin_head();
  [[nodiscard]] Request& request() noexcept { return *request_; }
  // The body gathered so far, as a view.
  [[nodiscard]] std::string_view gathered() const noexcept {
    return body_view_.empty() ? std::string_view(body_) : body_view_;
  }
  // Composes the answer to the open request; of one that is streamed, the head.
  void respond(const Response& response, bool keep_alive, std::string_view date);
  [[nodiscard]] server::BodyFraming body_framing(const Response& response) const noexcept;
  // What is to be sent besides: the body of an answer.
  [[nodiscard]] std::string& out() noexcept { return out_; }
  // The request is answered: it goes, and on to the next.
  void finish() noexcept;

  // Composes a refusal of what could not be understood; the connection ends with it.
  void refuse(Status status, std::string_view date);
  void write_continue() { out_ += server::kContinue; }

  // Takes what was received behind the request, for another protocol.
  [[nodiscard]] std::string take_rest();

  // What has been composed and not been sent.
  [[nodiscard]] std::span<const std::byte> unsent() const noexcept;
  void add_sent(std::size_t count) noexcept;

  // Forgets its connection, and strings that have grown large. False: all of it is too large for a pool.
  [[nodiscard]] bool recycle() noexcept;

 private:
  [[nodiscard]] std::string_view received_from(std::size_t begin) const noexcept {
    return {buffer_.get() + begin, end_ - begin};
  }
  [[nodiscard]] server::ResponseEncoderOptions encoder_options(bool keep_alive, std::string_view date) const noexcept;
  void keep_body_view();
  void gather(std::string_view data);
  void move_to_front() noexcept;
  void grow();

  http1::RequestDecoder decoder_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t cursor_ = 0;  // behind the head: how far the body has been decoded
  std::size_t end_ = 0;
  std::string_view body_view_;  // into the buffer: a body that came in one piece is not copied
  std::string body_;            // else it is gathered here
  bool body_done_ = false;
  bool pinned_ = false;
  std::optional<Request> request_;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace volt::http::server
