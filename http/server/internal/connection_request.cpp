// SPDX-License-Identifier: MIT

// The part of a Connection that receives requests: heads and bodies.
#include <cstddef>
#include <cstdint>

#include "http/server/internal/connection.h"
#include "http/server/internal/request_log.h"
#include "http/server/internal/respond.h"
#include "runtime/result.h"
#include "runtime/stream.h"
#include "runtime/work_class.h"

namespace volt::http::server {
namespace {

// A pipelined request needs no await, but counts as this many operations of the task's budget. So a client that
// pipelines without end gets a turn of about as long as others: one buffer of requests.
constexpr std::uint32_t kOperationsOfPipelined = 8;

}  // namespace

// Reads once even if the deadline has passed: on a busy machine, this task may run only long after the bytes arrived.
// An interrupt asks an idle connection to close soon, because the server drains or other connections wait for a place.
// The connection still waits a short time in idle_closing, so that a request already sent by the client is served.
ConnectionState Connection::read_head(const Result<void>& ready) {
  const bool started = context_ && context_->started();
  if (interrupted(ready)) {
    if (state_ == ConnectionState::idle_closing) close_sooner();
    return started ? state_ : ConnectionState::idle_closing;
  }
  if (!context_ && server_state_.overload.memory.state() == MemoryBudget::State::exhausted) {
    return reject_without_memory(ready);
  }
  context_.take();
  const Result<std::size_t> count = channel_.try_read(context_->room());
  if (would_block(count)) {
    if (!timed_out(ready)) return state_;
    return started ? refuse(Status::request_timeout) : ConnectionState::shutdown_linger;
  }
  if (!count) return ConnectionState::close;
  if (*count == 0) {  // End of stream. RFC 9112 section 8: a head that has begun is an incomplete message.
    return started ? refuse(Status::bad_request) : ConnectionState::close;
  }
  context_->add_received(*count);
  entry_.times().note_read(queued_since());
  const auto head = context_->decode_head();
  if (!head) return refuse(http1::status_for(head.error()));
  if (*head == http1::HeadState::complete) return ConnectionState::begin_request;
  // Empty lines, which may precede a request, do not extend the deadline of idle_closing.
  return context_->started() || state_ != ConnectionState::idle_closing ? ConnectionState::read_head
                                                                        : ConnectionState::idle_closing;
}

ConnectionState Connection::next_request() {
  const auto head = context_->decode_head();
  if (!head) return refuse(http1::status_for(head.error()));
  if (*head == http1::HeadState::complete) {
    count_operations(kOperationsOfPipelined);
    return ConnectionState::begin_request;
  }
  return send_then(context_->received_bytes() == 0 ? ConnectionState::idle : ConnectionState::read_head);
}

// A plain function that takes the whole body is called only when all of the body has been received (gather_body()).
// Every other handler is called now and reads the body when it needs it.
ConnectionState Connection::begin_request() {
  body_.reset();
  Request& request = context_->open_request(&body_);
  request.set_connection(*this);
  endpoint_ = &server_state_.service.find(request);
  entry_.begin_request(endpoint_->route, request.method(), endpoint_->direct == nullptr);
  const bool has_body = context_->decoder().has_body();
  const auto work_behind = [this] {  // a connection that has just waited in the backlog has others behind it there
    const bool waited = entry_.is_first_request() && admission_.backlog_wait().count() != 0;
    return waited ? std::chrono::nanoseconds::max() : queued_work();
  };
  if (const auto reason = server_state_.overload.overload_reason(this_turn(), has_body, work_behind)) {
    return refuse_overloaded(*reason);
  }
  if (!begin_work(endpoint_->work_class)) return call_handler();
  if (server_state_.overload.heavy_delay_too_long(heavy_queue_delay(), coarse_now())) {
    return refuse_overloaded(OverloadReason::heavy_delay);
  }
  return send_then(ConnectionState::await_turn);
}

ConnectionState Connection::take_turn() {
  const Turn turn = this_turn();
  if (server_state_.overload.heavy_delay_too_long(turn.queued_for, turn.now)) {
    return refuse_overloaded(OverloadReason::heavy_delay);
  }
  entry_.times().begin_handler();
  return call_handler();
}

ConnectionState Connection::call_handler() {
  const bool has_body = context_->decoder().has_body();
  const bool takes_whole_body = has_body && endpoint_->chain.handler->body() == BodyUse::whole;
  if (endpoint_->direct != nullptr) return takes_whole_body ? gather_body() : respond_directly();
  if (takes_whole_body) context_->gather_if_whole();  // A body that came with its head need not be awaited.
  // Sends the responses to earlier pipelined requests first: they must not wait for this handler, which may be slow.
  return send_then(ConnectionState::await_handler);
}

ConnectionState Connection::gather_body() {
  const auto whole = context_->gather_body();
  if (!whole) return refuse(http1::status_for(whole.error()));
  if (*whole) return respond_directly();
  entry_.times().begin_receive();
  if (context_->decoder().expect_continue()) context_->write_continue();  // RFC 9110 section 10.1.1
  return send_then(ConnectionState::read_body);
}

ConnectionState Connection::read_body(const Result<void>& ready) {
  if (server_state_.overload.memory.low()) return ConnectionState::await_memory;
  const Result<std::size_t> count = channel_.try_read(context_->room());
  if (would_block(count)) return timed_out(ready) ? refuse(Status::request_timeout) : ConnectionState::read_body;
  if (!count) return ConnectionState::close;
  if (*count == 0) return refuse(Status::bad_request);  // RFC 9112 section 8: an incomplete message
  context_->add_received(*count);
  entry_.times().note_read(queued_since());
  const auto whole = context_->gather_body();
  if (!whole) return refuse(http1::status_for(whole.error()));
  if (*whole) {
    entry_.times().end_receive(queued_since());
    entry_.times().begin_handler();
    return respond_directly();
  }
  transfer_timeout_.add_moved(*count);
  server_state_.overload.memory.charge(*count * kCopiesOfBody + context_->take_reserved_bytes(), coarse_now());
  channel_.set_read_deadline_in(transfer_timeout_.left());
  return ConnectionState::read_body;
}

ConnectionState Connection::respond_directly() { return send_response(respond(*endpoint_, context_->request())); }

// The context and its request do not change while another task or thread works for the request.
void Connection::add_fields(Fields& fields) const noexcept {
  const Request* const request = context_ ? context_->find_request() : nullptr;
  if (request != nullptr) add_request_fields(*request, fields);
}

ConnectionState Connection::read_to_drop(const Result<void>& ready) {
  const Result<std::size_t> count = channel_.try_read(context_->room());
  if (would_block(count)) return timed_out(ready) ? ConnectionState::shutdown_linger : ConnectionState::drop_body;
  if (!count || *count == 0) return ConnectionState::close;
  context_->add_received(*count);
  entry_.times().note_read(queued_since());
  context_->drop_body();
  if (context_->body_done()) return ConnectionState::finish;
  transfer_timeout_.add_moved(*count);
  channel_.set_read_deadline_in(transfer_timeout_.left());
  return ConnectionState::drop_body;
}

}  // namespace volt::http::server
