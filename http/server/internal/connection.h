// SPDX-License-Identifier: MIT

// Connection: one client's connection from accept to close (RFC 9112 section 9). Requests are served in order, one at a
// time; the responses to a pipelined burst are sent together.
//
// A connection is a state machine. A state waits for at most one event and has at most one deadline. When the wait
// ends, the state's step runs and returns the next state. A step is a plain function wherever it can be, so that
// readable -> read -> decode -> handler -> encode -> send is one chain of calls without a coroutine frame. Only the
// steps that wait in the middle are coroutines. The code defines the wait, the deadline and the step of each state only
// in the table in connection.cpp. In short:
//
//   state             waits for       deadline            next
//   accepted          nothing                             read_preamble, admit
//   read_preamble     a task          head_timeout        admit, close
//   admit             nothing                             handshake, idle, close
//   handshake         a task          the transport's     idle, close
//   idle              readable        idle_timeout [1]    begin_request, read_head, idle_closing, shutdown_linger,
//                                                         close
//   idle_closing      readable        [2]                 begin_request, read_head, shutdown_linger, close
//   read_head         readable        head_timeout        begin_request, idle_closing, shutdown_linger, close
//   begin_request     nothing                             await_turn, read_body, await_handler, shutdown_linger, and
//                                                         the states of a response
//   await_turn        a turn of heavy work                read_body, await_handler, and the states of a response
//   read_body         readable        TransferTimeout     await_memory, shutdown_linger, and the states of a response
//   await_memory      a task          [3]                 as read_body
//   await_handler     the handler [4] the handler's       the states of a response
//   send_body         a task [4]      BodySender's        the states of a response
//   switch_protocol   a task          the protocol's      shutdown_linger
//   finish            nothing                             drop_body, next_request, shutdown_linger, shutdown_close
//   drop_body         readable        TransferTimeout     finish, shutdown_linger, close
//   next_request      nothing                             begin_request, read_head, idle, shutdown_linger
//   send_rest         writable        TransferTimeout     the state that the sender named; close
//   shutdown_linger   nothing                             linger
//   shutdown_close    nothing                             linger, close
//   linger            readable        [5]                 close
//   close             nothing                             none: the connection is destroyed
//
//   The states of a response are finish, send_body and switch_protocol. The composed bytes are sent before a state
//   that waits for the client or for a handler (send_body sends them itself); where the kernel does not take all of
//   them, send_rest comes in between. A client that has disconnected leads to close from every state that reads or
//   sends.
//   [1] pressure_idle_timeout, if that is shorter, while other connections wait for a place.
//   [2] drain_idle_timeout if the server drains; otherwise as [1].
//   [3] MemoryBudget::relief() has a limit of its own; the body's TransferTimeout is paused for that time.
//   [4] A client that hangs up cancels the connection's task (http/server/internal/request_watch.h). A response that is
//       complete by then is still sent.
//   [5] linger_timeout in all, and linger_idle_timeout without data; less if the place of the connection is wanted.
//
// A deadline starts when its state is entered from another state. It is kept when a state is entered again from itself.
// So the deadline of a head counts from its first byte, and a client that sends single bytes does not extend it. A
// TransferTimeout is different: every byte that moves extends it.
//
// A request is opened and routed exactly once, in begin_request. It gets exactly one response: from send_response(), or
// from refuse(), which also ends the connection. If the producer of a streamed response throws before any byte was
// sent, the response is replaced by the response to the exception.
//
// Tracing: each transition is logged at level info if VOLT_TRACE_CONNECTIONS=1 is in the environment when the Server is
// constructed. An entry has the connection's task, both states, and the counts of received bytes not yet consumed and
// of bytes not yet sent.
//
// Threads: those of the connection's task. Lifetime: in the frame of serve().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

#include "http/server/internal/admission.h"
#include "http/server/internal/body_reader.h"
#include "http/server/internal/io_channel.h"
#include "http/server/internal/request_context.h"
#include "http/server/internal/service.h"
#include "http/server/internal/transfer_timeout.h"
#include "http/server/server_state.h"
#include "runtime/log_context.h"
#include "runtime/result.h"
#include "runtime/task.h"
#include "runtime/tcp.h"

namespace volt::http::server {

class RequestWatch;

// Size, in bytes, of the buffer for data that is read and dropped.
inline constexpr std::size_t kIgnoredBytes = 16 * 1024;

enum class ConnectionState : std::uint8_t {
  accepted,         // The first state.
  read_preamble,    // The PROXY protocol header is being read.
  admit,            // The number of the client's connections is checked.
  handshake,        // The transport, such as TLS, is being opened.
  idle,             // No byte of a request has been received.
  idle_closing,     // The connection is idle, and is closed soon if no request comes.
  read_head,        // Part of a request head has been received.
  begin_request,    // A request head is complete.
  await_turn,       // The route is heavy; other requests run first.
  read_body,        // A body is being received whole, before its handler is called.
  await_memory,     // As read_body, but reading is paused because memory is low.
  await_handler,    // A handler that is a coroutine runs.
  send_body,        // The body of a streamed response is produced and sent.
  switch_protocol,  // Another protocol uses the connection.
  finish,           // The response is composed, and at least partly sent.
  drop_body,        // The part of the request body that the handler has not read is dropped.
  next_request,     // The previous request is finished; there may be more requests among the bytes received.
  send_rest,        // Composed bytes are left, because the kernel has not taken all of them.
  shutdown_linger,  // Everything is sent; the client may still be sending.
  shutdown_close,   // Everything is sent; the client has announced that it sends no more.
  linger,           // Bytes are discarded until the client has read the last response, and therefore closes.
  close,            // The last state.
};

class Connection final : ConnectionAttributes, LogContext {
 public:
  // Serves an accepted connection until it is closed.
  [[nodiscard]] static Task<> serve(TcpStream accepted, Admission admission);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

 private:
  struct StateRow;
  struct StateTable;
  class Watch;

  enum class CloseReason : std::uint8_t { none, pressure, drain };  // in the order in which they leave less time

  Connection(TcpStream accepted, Admission& admission);
  ~Connection();

  // ConnectionAttributes
  [[nodiscard]] std::optional<Address> peer() const noexcept override { return channel_.client(); }
  [[nodiscard]] bool secure() const noexcept override;
  [[nodiscard]] const message::TypedStore* facts() const noexcept override;
  void note_request_id(std::string_view id) noexcept override { entry_.note_request_id(id); }

  // LogContext: the open request.
  void add_fields(Fields& fields) const noexcept override;

  // Transitions. Every step below returns the next state.

  // Enters `next`. While the entered state waits for nothing, runs its step and enters the state that the step returns.
  void advance(ConnectionState next);
  void start_deadline(const StateRow& entered) noexcept;
  [[nodiscard]] CloseReason why_to_close() const noexcept;
  void close_sooner() noexcept;
  void trace(ConnectionState next) const noexcept;
  [[nodiscard]] bool half_close_counts_at_once() const noexcept;

  // The beginning and the end of a connection (connection.cpp).
  [[nodiscard]] ConnectionState start() noexcept;
  [[nodiscard]] Task<ConnectionState> read_preamble();
  [[nodiscard]] ConnectionState admit();
  [[nodiscard]] Task<ConnectionState> open_transport();
  [[nodiscard]] ConnectionState open() noexcept;
  [[nodiscard]] ConnectionState shutdown_linger() noexcept;
  [[nodiscard]] ConnectionState shutdown_close() noexcept;
  [[nodiscard]] ConnectionState linger_on(const Result<void>& ready) noexcept;
  [[nodiscard]] Result<std::size_t> discard_received() noexcept;
  [[nodiscard]] std::chrono::nanoseconds linger_left() const noexcept;

  // A request (connection_request.cpp).
  [[nodiscard]] ConnectionState read_head(const Result<void>& ready);
  [[nodiscard]] ConnectionState next_request();
  [[nodiscard]] ConnectionState begin_request();
  [[nodiscard]] ConnectionState take_turn();
  [[nodiscard]] ConnectionState call_handler();
  [[nodiscard]] ConnectionState gather_body();
  [[nodiscard]] ConnectionState read_body(const Result<void>& ready);
  [[nodiscard]] ConnectionState respond_directly();
  [[nodiscard]] ConnectionState read_to_drop(const Result<void>& ready);

  // A response (connection_response.cpp).

  // Returns the task of ConnectionState::await_handler, which throws only Cancelled; send_response() takes its result.
  [[nodiscard]] Task<Response> run_handler();
  [[nodiscard]] ConnectionState send_response(Response response);
  [[nodiscard]] bool must_end(const Response& response);
  [[nodiscard]] bool can_skip_body(const Response& response);
  [[nodiscard]] Task<ConnectionState> send_body();
  [[nodiscard]] ConnectionState respond_with_error(const std::exception_ptr& failure);
  [[nodiscard]] Task<ConnectionState> run_upgrade();
  [[nodiscard]] ConnectionState end_response();
  // Notes that the kernel has taken all that was composed.
  void note_sent() noexcept;
  // Returns whether there is an open request, and the end of its exchange would be reported or listed as slow.
  [[nodiscard]] bool exchange_is_observed() const noexcept;
  // Reports the end of the open request's exchange, if there is one. Only the first call has an effect.
  void end_exchange(ExchangeOutcome outcome) noexcept;
  [[nodiscard]] ConnectionState finish();
  [[nodiscard]] ConnectionState refuse(Status status);
  // Sends the composed bytes. Returns `next`, or send_rest if the kernel does not take all of them; send_rest leads to
  // `next`.
  [[nodiscard]] ConnectionState send_then(ConnectionState next) noexcept;
  [[nodiscard]] ConnectionState send_rest(const Result<void>& ready) noexcept;
  // Sends the composed bytes in a task that a FIN has cancelled, for at most a short time. The connection then ends.
  [[nodiscard]] Task<> send_rest_to_half_closed();

  // Overload and drain (connection_overload.cpp).
  [[nodiscard]] ConnectionState refuse_overloaded(OverloadReason reason);
  [[nodiscard]] Task<ConnectionState> await_memory();
  [[nodiscard]] ConnectionState reject_without_memory(const Result<void>& ready) noexcept;

  Admission& admission_;
  ServerState& server_state_;
  IoChannel channel_;
  ConnectionEntry entry_;
  const ConnectionRegistration registration_;  // destroyed before entry_ and channel_, which other threads use
  RequestContextLease context_;                // held from a request's first byte until its response is sent
  BodyReader body_;
  TransferTimeout transfer_timeout_;
  RequestWatch* watch_ = nullptr;       // send_body: tells when a FIN counts as a hangup
  const Endpoint* endpoint_ = nullptr;  // of the open request
  std::optional<Response> streamed_;    // send_body, switch_protocol: the response whose head has been composed
  CloseReason closes_because_ = CloseReason::none;  // idle_closing: what its deadline follows from
  ConnectionState state_ = ConnectionState::accepted;
  ConnectionState after_send_ = ConnectionState::close;  // send_rest: the state that comes next
  // No further request is served. This is a property of the current response and not a state: the response's head
  // announces it, so it is known before the head is composed, and it holds in every state up to finish.
  bool last_response_ = false;
  // A FIN may have cancelled this task when its response was complete.
  bool half_close_counted_ = false;
  // linger, on the clock of coarse_now(): when it began, and when data was received last.
  std::chrono::nanoseconds linger_began_{0};
  std::chrono::nanoseconds linger_received_{0};
};

}  // namespace volt::http::server
