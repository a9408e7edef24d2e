// Connection: all that a connection does between two waits. It reads what is there, decodes it, runs handlers that
// are plain functions, composes the answers and sends what the kernel takes; then it says what to wait for.
//
// A plain class beside the coroutine that waits (connection.cpp), so that readable -> read -> decode -> handler ->
// encode -> send is one chain of calls: no frame and no allocation of its own. Bodies that are streamed, either way, are
// coroutines beside it (body_reader.h, body_sender.h).
//
// A request gets exactly one answer: send_response() or refuse(), of which the latter ends the connection. One that is
// streamed and fails before anything of it was sent is taken back, and answered as what the handler throws.
//
// Threads: its connection's. Lifetime: in the connection's frame, beside the io_channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

#include "http/server/internal/body_reader.h"
#include "http/server/internal/io_channel.h"
#include "http/server/internal/request_context.h"
#include "http/server/internal/service.h"
#include "http/server/internal/transfer_timeout.h"
#include "http/server/server_state.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http::server {

inline constexpr std::size_t kIgnoredBytes = 16 * 1024;  // at a time, of what is not looked at

// What the connection does next.
enum class ConnectionState : std::uint8_t {
  read_head,        // wait until readable, then read(): more of a head, or the next request
  read_body,        // the same: more of a body that its handler wants whole
  await_memory,     // await await_memory(): before more of that body is read
  drop_body,        // the same: more of a body that nobody wanted
  linger,           // the same: all is said, what comes now is dropped until the peer has read our last answer
  send_rest,        // wait until writable, then send_rest(): the kernel took less than there was
  await_handler,    // await run_handler(), then send_response()
  send_body,        // await send_body()
  switch_protocol,  // await run_upgrade()
  finish,           // finish(): the answer is with the kernel
  proceed,          // proceed(): there may be more requests among the bytes received
  close,            // the end
};

class Connection final : HandshakeInfo {
 public:
  Connection(ServerState& server_state, IoChannel& io_channel, ConnectionEntry& entry) noexcept;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Each returns what comes next.

  // The wait of ConnectionState::read_head, read_body, drop_body or linger is over.
  [[nodiscard]] ConnectionState read(ConnectionState reading, const Result<void>& ready);
  [[nodiscard]] ConnectionState send_rest(const Result<void>& ready) noexcept;
  // Answers all whole requests among the bytes received, up to the first that takes time.
  [[nodiscard]] ConnectionState proceed();
  // To the request whose head is here.
  [[nodiscard]] ConnectionState send_response(Response response);
  [[nodiscard]] Task<ConnectionState> await_memory();
  // Of the answer that is being given.
  [[nodiscard]] Task<ConnectionState> send_body();
  [[nodiscard]] Task<ConnectionState> run_upgrade();
  [[nodiscard]] ConnectionState finish();

  // For ConnectionState::await_handler. Throws only Cancelled.
  [[nodiscard]] Task<Response> run_handler();

 private:
  [[nodiscard]] std::optional<Address> peer() const noexcept override { return channel_.client(); }
  [[nodiscard]] const Transport* transport() const noexcept override { return channel_.transport(); }

  [[nodiscard]] ConnectionState read_head(const Result<void>& ready);
  [[nodiscard]] ConnectionState read_body(const Result<void>& ready);
  [[nodiscard]] ConnectionState reject_without_memory(const Result<void>& ready) noexcept;
  [[nodiscard]] ConnectionState read_to_drop(const Result<void>& ready);
  [[nodiscard]] ConnectionState start_linger() noexcept;
  [[nodiscard]] ConnectionState drop_received(const Result<void>& ready) noexcept;
  [[nodiscard]] ConnectionState schedule_idle_close() noexcept;
  [[nodiscard]] ConnectionState run_out_of_time();

  Request& open_request();
  [[nodiscard]] ConnectionState begin_request();
  [[nodiscard]] ConnectionState refuse_overloaded(OverloadReason reason);
  [[nodiscard]] ConnectionState gather_body();
  [[nodiscard]] ConnectionState respond_directly();
  void gather_what_is_here();

  [[nodiscard]] bool must_end(const Response& response);
  [[nodiscard]] bool can_skip_body(const Response& response);
  [[nodiscard]] ConnectionState respond_with_error(const std::exception_ptr& failure);
  [[nodiscard]] ConnectionState end_response();
  [[nodiscard]] ConnectionState skip_body();
  [[nodiscard]] ConnectionState refuse(Status status);
  [[nodiscard]] ConnectionState send_then(ConnectionState next) noexcept;
  ConnectionState enter(ConnectionState state) noexcept;
  void time_head() noexcept;

  ServerState& server_state_;
  IoChannel& channel_;
  ConnectionEntry& entry_;
  RequestContextLease context_;  // held from a request's first byte until its answer is sent
  BodyReader body_;
  TransferTimeout transfer_timeout_;
  const Endpoint* endpoint_ = nullptr;  // of the open request
  std::optional<Response> streamed_;    // send_body, switch_protocol: the answer whose head has been composed
  std::size_t streamed_begin_ = 0;      // send_body: of that head, in RequestContext::out()
  ConnectionState state_after_send_ = ConnectionState::close;  // send_rest: what comes then
  bool last_ = false;                                          // no further request will be answered
  bool client_is_done_ = false;        // it has said that its last request is the last, and sent all of it
  bool head_is_timed_ = false;         // the deadline of the head that has begun is set
  bool idle_close_scheduled_ = false;  // idle, and told that it is to end: this is the time that it is left
};

}  // namespace volt::http::server
