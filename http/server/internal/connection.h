// SPDX-License-Identifier: MIT

// Connection: one client's connection from accept to close (RFC 9112 section 9). Requests are served in order, one at a
// time; the responses to a pipelined burst are sent together.
//
// A connection is a state machine. A state waits for at most one event and has at most one deadline. When the wait
// ends, the state's step runs and returns the next state. A step is a plain function wherever it can be, so that
// readable -> read -> decode -> handler -> encode -> send is one chain of calls without a coroutine frame. Only the
// steps that wait in the middle are coroutines. The table in connection.cpp is the only place that spells a state's
// wait, deadline and step:
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
//   begin_request     nothing                             read_body, await_handler, shutdown_linger, and the states of
//                                                         a response
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
//   linger            readable        linger_timeout      close
//   close             nothing                             none: the connection is destroyed
//
//   The states of a response are finish, send_body and switch_protocol. The composed bytes are sent before a state
//   that waits for the client or for a handler (send_body sends them itself); where the kernel does not take all of
//   them, send_rest comes in between. A client that has disconnected leads to close from every state that reads or
//   sends.
//   [1] pressure_idle_timeout, if that is shorter, while other connections wait for a place.
//   [2] drain_idle_timeout if the server drains; otherwise as [1].
//   [3] MemoryBudget::relief() has a limit of its own; the body's TransferTimeout is paused for that time.
//   [4] A client that hangs up cancels the connection's task (ServerOptions::half_close_cancels).
//
// A deadline starts when its state is entered from another state and is kept when a state is entered again from itself,
// except that every byte which moves extends a TransferTimeout. So the deadline of a head counts from its first byte,
// and a client that sends a byte now and then does not extend it.
//
// A request is opened and routed exactly once, in begin_request. It gets exactly one response: from send_response(), or
// from refuse(), which also ends the connection. A streamed response that fails before any of it was sent is withdrawn
// and replaced by the response to what its producer threw.
//
// Tracing: with VOLT_TRACE_CONNECTIONS=1 in the environment when the Server is constructed, each transition is logged
// at level info: the connection's task, the states, the bytes received and not yet consumed, the bytes not yet sent.
//
// Threads: those of the connection's task. Lifetime: in the frame of serve().
#pragma once

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
#include "runtime/result.h"
#include "runtime/task.h"
#include "runtime/tcp.h"

namespace volt::http::server {

// Size of the buffer, in bytes, into which data that is ignored is read.
inline constexpr std::size_t kIgnoredBytes = 16 * 1024;

enum class ConnectionState : std::uint8_t {
  accepted,         // The first state.
  read_preamble,    // The PROXY protocol header is being read.
  admit,            // The client's address is known: its number of connections is checked.
  handshake,        // The transport, such as TLS, is being opened.
  idle,             // No byte of a request has been received.
  idle_closing,     // The connection is idle, and is closed soon if no request comes.
  read_head,        // Part of a request head has been received.
  begin_request,    // A request head is complete.
  read_body,        // A body that its handler takes whole is being received.
  await_memory,     // The rest of that body is not read, because memory is low.
  await_handler,    // A handler that is a coroutine runs.
  send_body,        // The body of a streamed response is produced and sent.
  switch_protocol,  // Another protocol uses the connection.
  finish,           // The response is composed, and at least partly sent.
  drop_body,        // The rest of a body that was not read is received and dropped.
  next_request,     // The previous request is finished; there may be more requests among the bytes received.
  send_rest,        // The kernel has taken less than there was to send.
  shutdown_linger,  // Everything is sent; the client may still be sending.
  shutdown_close,   // Everything is sent; the client has announced that it sends no more.
  linger,           // Bytes are dropped until the client has read the last response.
  close,            // The last state.
};

class Connection final : ConnectionAttributes {
 public:
  // Serves a connection that was accepted until it is closed.
  [[nodiscard]] static Task<> serve(TcpStream accepted, Admission admission);

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

 private:
  struct StateRow;
  struct StateTable;

  Connection(TcpStream accepted, Admission& admission);
  ~Connection();

  // ConnectionAttributes
  [[nodiscard]] std::optional<Address> peer() const noexcept override { return channel_.client(); }
  [[nodiscard]] const Transport* transport() const noexcept override { return channel_.transport(); }

  // Transitions. Every step below returns the next state.

  // Enters `next`, and then the states that follow without a wait.
  void advance(ConnectionState next);
  void start_deadline(const StateRow& entered) noexcept;
  void trace(ConnectionState next) const noexcept;
  [[nodiscard]] net::HangupWatch cancel_on_hangup();

  // The beginning and the end of a connection (connection.cpp).
  [[nodiscard]] ConnectionState start() noexcept;
  [[nodiscard]] Task<ConnectionState> read_preamble();
  [[nodiscard]] ConnectionState admit();
  [[nodiscard]] Task<ConnectionState> open_transport();
  [[nodiscard]] ConnectionState open() noexcept;
  [[nodiscard]] ConnectionState shutdown_linger() noexcept;
  [[nodiscard]] ConnectionState shutdown_close() noexcept;
  [[nodiscard]] ConnectionState drop_received(const Result<void>& ready) noexcept;

  // A request (connection_request.cpp).
  [[nodiscard]] ConnectionState read_head(const Result<void>& ready);
  [[nodiscard]] ConnectionState next_request();
  [[nodiscard]] ConnectionState begin_request();
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
  [[nodiscard]] ConnectionState finish();
  [[nodiscard]] ConnectionState refuse(Status status);
  // Sends what is composed; then comes `next`.
  [[nodiscard]] ConnectionState send_then(ConnectionState next) noexcept;
  [[nodiscard]] ConnectionState send_rest(const Result<void>& ready) noexcept;

  // Overload and drain (connection_overload.cpp).
  [[nodiscard]] ConnectionState refuse_overloaded(OverloadReason reason);
  [[nodiscard]] Task<ConnectionState> await_memory();
  [[nodiscard]] ConnectionState reject_without_memory(const Result<void>& ready) noexcept;

  Admission& admission_;
  ServerState& server_state_;
  IoChannel channel_;
  ConnectionEntry entry_;
  const ConnectionRegistration registration_;  // destroyed before what other threads find by it, after all else
  RequestContextLease context_;                // held from a request's first byte until its response is sent
  BodyReader body_;
  TransferTimeout transfer_timeout_;
  const Endpoint* endpoint_ = nullptr;  // of the open request
  std::optional<Response> streamed_;    // send_body, switch_protocol: the response whose head has been composed
  std::size_t streamed_begin_ = 0;      // send_body: where that head begins in RequestContext::out()
  ConnectionState state_ = ConnectionState::accepted;
  ConnectionState after_send_ = ConnectionState::close;  // send_rest: the state that comes next
  // No further request is served. A property of the current response rather than a state: it is known before the
  // response's head is composed, which announces it, and it holds through every state up to finish.
  bool last_response_ = false;
};

}  // namespace volt::http::server
