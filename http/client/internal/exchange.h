// Exchange: one request on one connection, and its answer as far as it was read.
//
// Threads: one task at a time. Lifetime: the response's. It gives the connection back to the pool when the answer is
// whole and the connection can be used again; else it closes it, at the latest when it goes.
// Memory: the decoder and one buffer of kReadBytes, which grows to the head's size; of a streamed body its last piece.
//
// A streamed body is sent by whoever waits for the answer, beside that wait: at first round_trip(), and where the answer begins
// before the body has ended, next(). Each such wait may be cut short and begun again, so what is under way is kept here.
// Rejected: a task that sends it. The exchange may be dropped at any time, and a destructor cannot wait for a task.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/client/client.h"
#include "http/client/internal/connection.h"
#include "http/client/internal/pool.h"
#include "http/client/internal/uri.h"
#include "http/http1/response_decoder.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http::client {

class Exchange {
 public:
  // `ends_at` by coarse_now(); nanoseconds::max(): never.
  Exchange(std::shared_ptr<const ClientOptions> options, std::shared_ptr<Pool> pool,
           std::unique_ptr<Connection> connection, std::chrono::nanoseconds ends_at);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Sends the request and reads the answer's head.
  [[nodiscard]] Task<Result<void>> round_trip(ClientRequest& request, const Uri& uri);
  // Nothing of an answer has come.
  [[nodiscard]] bool received_nothing() const noexcept { return !decoder_.started() && received_.empty(); }

  // After round_trip().
  [[nodiscard]] http1::ResponseHead head() const noexcept { return decoder_.head(head_); }
  [[nodiscard]] Task<Result<std::optional<std::string_view>>> next();
  [[nodiscard]] Result<std::optional<std::string_view>> try_next();
  [[nodiscard]] Fields trailers() const noexcept { return decoder_.trailers(); }
  // After 101, once; else null.
  [[nodiscard]] std::unique_ptr<ClientStream> take_stream();

 private:
  [[nodiscard]] Task<Result<void>> send(ClientRequest& request, const Uri& uri);
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

  [[nodiscard]] std::chrono::nanoseconds limit(std::chrono::nanoseconds wait) const noexcept;

  const std::shared_ptr<const ClientOptions> options_;
  const std::shared_ptr<Pool> pool_;
  std::unique_ptr<Connection> connection_;  // null: given back, or closed
  const std::chrono::nanoseconds ends_at_;
  http1::ResponseDecoder decoder_;
  std::string received_;     // of the head; then the buffer of the body
  std::string_view unread_;  // in `received_`: of the body
  std::string head_;         // the final one
  bool has_head_ = false;
  bool asks_for_upgrade_ = false;
  std::unique_ptr<ClientBody> body_;        // streamed, and not sent whole yet
  std::optional<std::uint64_t> body_left_;  // of it; none: it is chunked
  std::string out_;                         // its last piece, composed ..
  std::string_view unsent_;                 // .. of which this has not been sent
  bool composed_end_ = false;               // nothing comes behind that
  std::exception_ptr body_failure_;         // what it threw
  bool sent_whole_ = false;
  bool done_ = false;
};

}  // namespace volt::http::client
