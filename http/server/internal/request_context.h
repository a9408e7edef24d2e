// SPDX-License-Identifier: MIT

// RequestContext: the memory of a connection while a request is in progress, from the request's first byte until its
// response has been sent. It contains the received bytes, the decoder, the request, its body and the bytes to send. An
// idle connection has no RequestContext; each worker keeps a pool of them.
//
//   received bytes:  | head | body as sent ...  pipelined requests |
//                    begin  cursor                              end
//
// For each request, a connection calls in this order: room(), add_received() and decode_head() until the head is
// complete; open_request(); one of the functions that decode the body, until body_done(); respond(); finish().
//
// While a head is incomplete, its bytes may move within the buffer; the decoder stores offsets, which stay valid. From
// open_request() to finish() the head must not move, however long the body is: the handler, the middleware and the
// route parameters hold views of the head across their waits (http/web/request.h). Therefore open_request() first makes
// the room for the rest of the body, and a request is opened and routed only once.
//
// Rejected: a Request that stores offsets, so that the head may move. Views that a handler holds would still become
// invalid, so the head could not move while a handler runs. Besides, every access would compute a view.
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
#include <utility>

#include "http/http1/request_decoder.h"
#include "http/server/internal/request_times.h"
#include "http/server/internal/unsent_responses.h"
#include "http/server/response_encoder.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/stream.h"

namespace volt::http::server {

// Upper bound of the memory that a gathered body takes, as a multiple of its size. While a string grows, its old and
// its new memory exist together.
inline constexpr std::uint64_t kCopiesOfBody = 2;

class RequestContext {
 public:
  explicit RequestContext(const http1::Limits& limits);

  // Returns the memory into which the next bytes are received. It is never so small that receiving would be
  // inefficient. Invalidates the pieces of a body. If no request is open, also invalidates all views of received bytes.
  [[nodiscard]] std::span<std::byte> room();
  void add_received(std::size_t count) noexcept { end_ += count; }
  // Number of bytes that have been received and belong to no finished request.
  [[nodiscard]] std::size_t received_bytes() const noexcept { return end_ - begin_; }

  // True if the first byte of a request has been received.
  [[nodiscard]] bool started() const noexcept { return decoder_.started(); }
  // True if no received byte is left and nothing is to be sent.
  [[nodiscard]] bool idle() const noexcept { return begin_ == end_ && unsent_bytes() == 0 && !started(); }

  [[nodiscard]] std::expected<http1::HeadState, http1::ParseError> decode_head() noexcept;
  [[nodiscard]] const http1::RequestDecoder& decoder() const noexcept { return decoder_; }

  // Constructs the Request. The head must be complete. Throws std::bad_alloc.
  Request& open_request(BodySource* source = nullptr);
  [[nodiscard]] Request& request() noexcept { return *request_; }
  // Returns the open request; null if there is none.
  [[nodiscard]] const Request* find_request() const noexcept { return request_ ? &*request_ : nullptr; }

  // The functions up to finish() require an open request.

  // Appends the received part of the body to gathered(). Returns true if the body is then complete.
  [[nodiscard]] std::expected<bool, http1::ParseError> decode_body();
  // The body gathered so far.
  [[nodiscard]] std::string_view gathered() const noexcept {
    return body_view_.empty() ? std::string_view(body_) : body_view_;
  }
  // Calls decode_body(). If the body is then complete, sets it as the request's body.
  [[nodiscard]] std::expected<bool, http1::ParseError> gather_body();
  // Calls gather_body() if the size of the body is known and all of it has been received.
  void gather_if_whole();
  // Returns the next received piece of the body that has not been gathered; empty if there is none. Valid until room()
  // is called.
  [[nodiscard]] std::expected<std::string_view, http1::ParseError> decode_piece();
  [[nodiscard]] bool body_done() const noexcept { return body_done_ || !decoder_.has_body(); }
  // True if bytes have been received behind the request, whose body must be done.
  [[nodiscard]] bool has_rest() const noexcept { return cursor_ != end_; }
  // Drops the part of the body that has been received and not gathered. The body's size is not limited any more.
  void drop_body();
  void limit_body(std::uint64_t bytes_max) noexcept { decoder_.limit_body(bytes_max); }
  [[nodiscard]] std::size_t body_bytes() const noexcept { return body_.size() + body_view_.size(); }
  // Returns how many bytes have been reserved for the rest of the body since the last call. They count as memory in use
  // before the body fills them: where the kernel uses huge pages, writing the first bytes makes all of them resident.
  [[nodiscard]] std::size_t take_reserved_bytes() noexcept { return std::exchange(reserved_bytes_, 0); }

  // Composes the response to the open request. Of a streamed response, only the head is composed. A large body is not
  // copied, but moved out of `response`; further bytes may be composed when all of it has been sent.
  void respond(Response& response, bool keep_alive, std::string_view date);
  [[nodiscard]] BodyFraming body_framing(const Response& response) const noexcept;
  // Whether a function waits for the end of the open request's exchange (Request::after_response).
  [[nodiscard]] bool reports_end() const noexcept { return request_ && request_->has_after_response(); }
  // Ends the exchange of the open request, if there is one. Only the first call has an effect.
  void end_exchange(ExchangeOutcome outcome, const RequestPhases& phases) noexcept;
  // Destroys the open request. Its response must have been composed.
  void finish() noexcept;

  // Composes an error response to a request that is malformed, incomplete, too large or too slow. The connection must
  // be closed after it.
  void refuse(Status status, std::string_view date);
  void write_continue() { out_ += kContinue; }
  void write_interim(const Response& interim) { encode_interim(interim, out_); }

  // The final response, if it is streamed: its head is composed, and its body will be appended. Until begin_final() is
  // called, none of it may be sent: take_final() removes it, and put_final_back() appends it again.
  void compose_final(Response& response, bool keep_alive, std::string_view date);
  [[nodiscard]] bool has_final() const noexcept { return final_ != Final::none; }
  [[nodiscard]] bool final_begun() const noexcept { return final_ == Final::begun; }
  void begin_final() noexcept { final_ = Final::begun; }
  [[nodiscard]] std::string take_final();
  void put_final_back(std::string_view composed);

  // Removes and returns the bytes that were received after the request. They belong to the protocol that follows HTTP.
  [[nodiscard]] std::string take_rest();

  // The composed bytes. The body of a streamed response is appended to them.
  [[nodiscard]] std::string& out() noexcept { return out_; }
  // The next bytes to be sent; empty if all has been sent.
  [[nodiscard]] std::span<const std::byte> unsent() const noexcept;
  // The number of all bytes to be sent.
  [[nodiscard]] std::size_t unsent_bytes() const noexcept { return out_.size() - sent_ + unsent_body_.size(); }
  // True if a body that was not copied has not been sent.
  [[nodiscard]] bool holds_body() const noexcept { return !unsent_body_.empty(); }
  void add_sent(std::size_t count) noexcept;
  [[nodiscard]] UnsentResponses& unsent_responses() noexcept { return unsent_responses_; }
  // Counts bytes of the body that were sent without being composed.
  void add_file_sent(std::size_t count) noexcept { sent_bytes_ += count; }

  // Clears the context for another connection, and frees strings that have grown large. Returns false if the context is
  // too large to be pooled.
  [[nodiscard]] bool recycle() noexcept;
  // The size of a context that recycle() has cleared, with the buffer and the strings that it keeps. Does not change
  // until the context is used.
  [[nodiscard]] std::size_t kept_bytes() const noexcept {
    return sizeof(RequestContext) + capacity_ + body_.capacity() + out_.capacity() + large_body_.capacity();
  }

 private:
  enum class Final : std::uint8_t { none, composed, begun };

  [[nodiscard]] std::string_view received_from(std::size_t begin) const noexcept {
    return {buffer_.get() + begin, end_ - begin};
  }
  [[nodiscard]] ResponseEncoderOptions encoder_options(bool keep_alive, std::string_view date) const noexcept;
  void note_response(Status status, std::size_t body_bytes) noexcept;
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
  std::string_view body_view_;  // a body that lies in the buffer in one piece; it is not copied
  std::string body_;            // any other gathered body
  std::size_t reserved_bytes_ = 0;
  bool body_done_ = false;
  Final final_ = Final::none;
  std::size_t final_begin_ = 0;  // where the final response begins in out_, until it has begun
  std::optional<Request> request_;
  std::string out_;
  std::size_t sent_ = 0;
  std::string large_body_;        // of the last response in out_, if it is too large to be copied
  std::string_view unsent_body_;  // the part of it, or of a static body, that follows out_
  std::uint64_t sent_bytes_ = 0;  // all that the connection has sent
  // The response to the open request; used only if its end is reported.
  std::optional<Status> status_;
  std::uint64_t body_begin_ = 0;  // sent_bytes_ when the first byte of its body is sent
  UnsentResponses unsent_responses_;
};

}  // namespace volt::http::server
