// SPDX-License-Identifier: MIT

// Exchange: one request on one connection, and the part of its response that was read.
//
// Threads: one task at a time. Lifetime: that of the response. When the response is complete and the connection can be
// used again, the connection returns to the pool; otherwise it is closed, at the latest by the destructor.
// Memory: the decoder and one buffer of kReadBytes, which grows to the head's size; the last piece of a streamed body.
// The buffer is freed when the end of the response has been read, or its upgraded connection has been taken: the
// response may be kept for much longer, because of its head.
//
// The task that waits for the response also sends a streamed body, concurrently with its wait. It begins in
// round_trip() and continues in next() if the response begins before the body has ended. Sending may be interrupted and
// continued, so its state is kept in this object.
// Rejected: a separate task that sends the body. The exchange may be destroyed at any time, and a destructor cannot
// wait for a task.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/client/client.h"
#include "http/client/internal/authorities.h"
#include "http/client/internal/connection.h"
#include "http/client/internal/pool.h"
#include "http/client/internal/uri.h"
#include "http/http1/response_decoder.h"
#include "runtime/result.h"
#include "runtime/semaphore.h"
#include "runtime/task.h"

namespace volt::http::client {

class Exchange {
 public:
  // `ends_at` is the deadline of the whole exchange, as a time of coarse_now(); nanoseconds::max() means none.
  Exchange(std::shared_ptr<const ClientOptions> options, std::shared_ptr<Pool> pool,
           std::unique_ptr<Connection> connection, std::chrono::nanoseconds ends_at);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Keeps a permit of `authority` until the response ends; `authority` may be null if the permit is empty.
  void keep_place(std::shared_ptr<Authority> authority, Semaphore::Permit place) noexcept {
    if (done_) return;
    authority_ = std::move(authority);
    place_ = std::move(place);
  }
  // Sends the request and reads the response's head. `fields` are those of the request, perhaps with more.
  [[nodiscard]] Task<Result<void>> round_trip(ClientRequest& request, const FieldList& fields, const Uri& uri);
  // Returns whether no byte of a response was received.
  [[nodiscard]] bool received_nothing() const noexcept { return !decoder_.started() && received_.empty(); }

  // The functions below may be called only after round_trip().
  [[nodiscard]] http1::ResponseHead head() const noexcept { return decoder_.head(head_); }
  [[nodiscard]] Task<Result<std::optional<std::string_view>>> next();
  [[nodiscard]] Result<std::optional<std::string_view>> try_next();
  [[nodiscard]] Fields trailers() const noexcept { return decoder_.trailers(); }
  // Returns the upgraded connection after a 101, once; otherwise null.
  [[nodiscard]] std::unique_ptr<ClientStream> take_stream();

 private:
  [[nodiscard]] Task<Result<void>> send(ClientRequest& request, const FieldList& fields, const Uri& uri);
  [[nodiscard]] Task<Result<void>> send_until_answered();
  [[nodiscard]] Task<Result<void>> send_until_readable();
  [[nodiscard]] Task<Result<void>> send_body();
  [[nodiscard]] Task<> compose_piece();
  void drop_body() noexcept;
  [[nodiscard]] Task<Result<void>> read_head();
  [[nodiscard]] Result<bool> decode_head();
  [[nodiscard]] Result<bool> responded_early();
  [[nodiscard]] bool upgraded() const noexcept;
  [[nodiscard]] Task<Result<void>> receive_body();
  void end_response();
  void free_received() noexcept;

  [[nodiscard]] std::chrono::nanoseconds limit(std::chrono::nanoseconds wait) const noexcept;

  const std::shared_ptr<const ClientOptions> options_;
  const std::shared_ptr<Pool> pool_;
  std::unique_ptr<Connection> connection_;  // null: returned to the pool, or closed
  const std::chrono::nanoseconds ends_at_;
  http1::ResponseDecoder decoder_;
  std::string received_;     // the head's bytes; then the buffer of the body
  std::string_view unread_;  // the part of `received_` that is body not yet decoded
  std::string head_;         // the final response's head
  bool has_head_ = false;
  std::string requested_upgrade_;  // the protocol; empty if the request asks for none
  std::function<void(Status, const Fields&)> on_interim_;
  std::unique_ptr<ClientBody> body_;        // a streamed body that was not sent completely; else null
  std::optional<std::uint64_t> body_left_;  // bytes of the streamed body still to send; none if it is chunked
  std::string out_;                         // the last piece of the streamed body, as sent on the wire
  std::span<const std::byte> unsent_;       // the part of `out_` that has not been sent
  bool composed_end_ = false;               // `out_` contains the end of the body
  std::exception_ptr body_failure_;         // the exception that the streamed body threw
  std::shared_ptr<Authority> authority_;    // outlives place_
  Semaphore::Permit place_;                 // among the requests in progress, if their number is limited
  bool sent_whole_ = false;
  bool done_ = false;
};

}  // namespace volt::http::client
