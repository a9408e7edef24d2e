// SPDX-License-Identifier: MIT

// The part of a Connection that responds to requests.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "http/server/internal/body_sender.h"
#include "http/server/internal/connection.h"
#include "http/server/internal/request_log.h"
#include "http/server/internal/request_watch.h"
#include "http/server/internal/respond.h"
#include "http/server/internal/upgraded_connection.h"
#include "http/web/http_log.h"
#include "http/web/problem.h"
#include "runtime/cancel.h"
#include "runtime/exception_text.h"
#include "runtime/per_worker.h"
#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::server {
namespace {

// Maximum number of unread body bytes that are received and dropped so that the connection can be reused.
constexpr std::size_t kSkipBytesMax = 64 * 1024;

// If a FIN cancels the task when the response is already complete, the response is still sent, for at most this time.
// The end of the process waits for such a task, so the time is short.
constexpr std::chrono::nanoseconds kRestTimeout = std::chrono::seconds(2);

// Returns what `failure` means for the exchange. Logs it unless the client has disconnected. The log context adds which
// request it was.
ExchangeOutcome log_aborted(LogLevel level, std::string_view message, const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const Disconnected&) {  // decided: a client that disconnects is not worth a log line
    return ExchangeOutcome::disconnected;
  } catch (...) {  // decided: it is logged, and the connection ends
    const ExceptionText text(failure);
    kHttpLog(level, message, {{"error", text.message()}, {"type", text.type()}});
    return ExchangeOutcome::failed;
  }
}

}  // namespace

Task<Response> Connection::run_handler() { return respond_later(*endpoint_, context_->request()); }

ConnectionState Connection::send_response(Response response) {
  if (code(response.status()) < 200 && response.upgrade() == nullptr) {
    // A 1xx response is an interim one: the client would wait for the final response.
    kHttpLog(LogLevel::error, "handler returned a 1xx status, which cannot be the final response; sending 500 instead",
             {{"status", code(response.status())}, {"path", context_->request().path()}});
    response = Problem(Status::internal_server_error).to_response();
  }
  entry_.answered(response.status(), context_->reports_end());
  server_state_.overload.memory.note_response(response.body().size(), server_state_.placement.worker_count(),
                                              coarse_now());
  last_response_ = must_end(response);
  const bool streams = response.stream() != nullptr && response.upgrade() == nullptr &&
                       context_->body_framing(response) != BodyFraming::none;
  if (streams) {
    context_->compose_final(response, !last_response_, server_state_.date());
  } else {
    context_->respond(response, !last_response_, server_state_.date());
  }
  if (response.upgrade() != nullptr) {
    streamed_.emplace(std::move(response));
    return send_then(ConnectionState::switch_protocol);
  }
  if (streams) {
    last_response_ = last_response_ || context_->body_framing(response) == BodyFraming::close;
    streamed_.emplace(std::move(response));
    return ConnectionState::send_body;
  }
  return end_response();
}

// Returns true if the connection must be closed after `response`. Called before the head is composed, because the head
// announces the close.
bool Connection::must_end(const Response& response) {
  return !context_->decoder().keep_alive() || response.closes() || server_state_.drain_announced() || body_.failed() ||
         !can_skip_body(response);
}

// Returns true if the rest of the request body can be skipped, so that the connection can be reused:
// - If the client waits for a 100, the body cannot be skipped: after a final response the client may or may not send
//   the body, and the server cannot know which (RFC 9110 section 10.1.1).
// - A body with a length can be skipped if at most kSkipBytesMax bytes of it are left.
// - A chunked body can be skipped only if its end has been received, which drop_body() finds out. It is not dropped if
//   the producer of a streamed response may still read it.
bool Connection::can_skip_body(const Response& response) {
  if (context_->body_done()) return true;
  if (body_.awaits_continue()) return false;
  if (const auto left = context_->decoder().body_left_bytes()) return *left <= kSkipBytesMax;
  if (response.stream() == nullptr) context_->drop_body();
  return context_->body_done();
}

Task<ConnectionState> Connection::send_body() {
  const BodyFraming framing = context_->body_framing(*streamed_);
  BodySender sender(channel_, *context_, server_state_, *watch_, framing, streamed_->body_size().value_or(0));
  std::exception_ptr failure;
  bool cancelled = false;
  try {
    co_await streamed_->stream()->write_to(sender);
    co_await sender.finish();
  } catch (const Cancelled&) {  // decided below
    cancelled = true;
  } catch (...) {  // decided below
    failure = std::current_exception();
  }
  if (cancelled) {
    co_await yield();  // throws again if this task was cancelled
    failure = std::make_exception_ptr(std::runtime_error("the body's producer awaited a task that was cancelled"));
  }
  streamed_.reset();
  if (!failure) {
    last_response_ = last_response_ || sender.has_dropped();
    co_return end_response();
  }
  if (!context_->final_begun()) co_return respond_with_error(failure);
  const ExchangeOutcome outcome = log_aborted(LogLevel::warning, "response aborted", failure);
  end_exchange(sender.timed_out() ? ExchangeOutcome::timed_out : outcome);
  if (framing == BodyFraming::close) channel_.abort_on_close();
  co_return ConnectionState::close;
}

// Replaces a streamed response of which nothing has been sent. The error response must not be streamed, because its
// producer could throw as well: a streamed one is replaced by a 500.
ConnectionState Connection::respond_with_error(const std::exception_ptr& failure) {
  if (context_->has_final()) static_cast<void>(context_->take_final());
  Response response = server_state_.service.errors().respond(failure, context_->request());
  if (response.stream() != nullptr) {
    response = Problem(Status::internal_server_error).to_response(context_->request().id());
  }
  return send_response(std::move(response));
}

// The other protocol may last for days, so the request context with its buffers is given back. Of the request, only the
// values that middleware has put into it are kept, and what its log lines contain.
Task<ConnectionState> Connection::run_upgrade() {
  UpgradedConnection connection(channel_, server_state_, context_->take_rest());
  context_->end_exchange(ExchangeOutcome::upgraded, entry_.times().phases(entry_.times().answered()));
  const UpgradedRequestLog request_log(context_->request());
  const message::TypedStore extensions = context_->request().release_extensions();
  context_.give_back();
  bool cancelled = false;
  try {
    co_await streamed_->upgrade()->run(connection);
  } catch (const Cancelled&) {  // decided below
    cancelled = true;
  } catch (...) {  // decided: the connection ends
    static_cast<void>(
        log_aborted(LogLevel::error, "handler of an upgraded connection threw an exception", std::current_exception()));
  }
  if (cancelled) co_await yield();  // throws again if this task was cancelled
  entry_.end_request();
  end_work();
  streamed_.reset();
  co_return ConnectionState::shutdown_linger;
}

// Called when the head and the whole body have been composed. If functions were registered with after_response(),
// first sends everything and only then enters the state `finish`, because these functions must run after the kernel
// has taken the whole response. A slow request is sent first as well: it is listed with the time of its sending.
ConnectionState Connection::end_response() {
  entry_.end_request();
  end_work();
  if (server_state_.traffic() != nullptr) context_->unsent_responses().add(endpoint_->route, entry_.times().answered());
  if (context_->unsent_bytes() == 0) {
    note_sent();
    return ConnectionState::finish;
  }
  const bool is_sent_first = context_->reports_end() || context_->holds_body() || entry_.is_slow();
  return is_sent_first ? send_then(ConnectionState::finish) : ConnectionState::finish;
}

void Connection::note_sent() noexcept {
  UnsentResponses& responses = context_->unsent_responses();
  if (responses.empty() && !context_->reports_end()) return;
  const RequestTimes::TimePoint now = RequestTimes::Clock::now();
  entry_.times().note_sent(now);
  if (!responses.empty()) responses.note_sent(*server_state_.traffic(), now);
}

bool Connection::exchange_is_observed() const noexcept {
  return context_->find_request() != nullptr && (context_->reports_end() || entry_.is_slow());
}

void Connection::end_exchange(ExchangeOutcome outcome) noexcept {
  if (context_->find_request() == nullptr) return;
  entry_.end_request();
  if (!exchange_is_observed()) return;
  const bool sent = outcome == ExchangeOutcome::complete;
  const RequestPhases phases = entry_.times().phases(sent ? entry_.times().last() : RequestTimes::Clock::now());
  if (entry_.is_slow()) entry_.note_slow(context_->request(), outcome, phases);
  context_->end_exchange(outcome, phases);
}

// Drops a body that the handler has not read, because the next request follows it (RFC 9112 section 9.3.2).
// can_skip_body() has limited its size.
ConnectionState Connection::finish() {
  if (!last_response_ && !context_->body_done()) {
    context_->drop_body();
    if (!context_->body_done()) return send_then(ConnectionState::drop_body);
  }
  const bool client_is_done = context_->body_done() && !context_->decoder().keep_alive();
  end_exchange(ExchangeOutcome::complete);
  context_->finish();
  if (last_response_) {
    return send_then(client_is_done ? ConnectionState::shutdown_close : ConnectionState::shutdown_linger);
  }
  const bool may_wait = !context_->holds_body() && !context_->unsent_responses().full() &&
                        context_->unsent_bytes() < server_state_.options.pipelined_bytes_max;
  if (may_wait) {
    return ConnectionState::next_request;
  }
  return send_then(ConnectionState::next_request);
}

ConnectionState Connection::refuse(Status status) {
  entry_.times().refuse();
  entry_.answered(status, context_->reports_end());
  entry_.end_request();
  end_work();
  context_->refuse(status, server_state_.date());
  return send_then(ConnectionState::shutdown_linger);
}

ConnectionState Connection::send_then(ConnectionState next) noexcept {
  if (next == ConnectionState::shutdown_linger || next == ConnectionState::shutdown_close) channel_.cork();
  while (!context_->unsent().empty()) {
    const Result<std::size_t> count = channel_.try_write(context_->unsent());
    if (would_block(count)) {
      server_state_.overload.memory.charge(context_->unsent_bytes(), coarse_now());
      after_send_ = next;
      return ConnectionState::send_rest;
    }
    if (!count) {
      end_exchange(ExchangeOutcome::disconnected);
      return ConnectionState::close;
    }
    context_->add_sent(*count);
  }
  note_sent();
  return next;
}

// A client that reads on takes the bytes soon; one that is gone resets the connection.
Task<> Connection::send_rest_to_half_closed() {
  const std::chrono::nanoseconds until = coarse_now() + kRestTimeout;
  while (!context_->unsent().empty()) {
    const Result<std::size_t> count = channel_.try_write(context_->unsent());
    if (count) {
      context_->add_sent(*count);
      continue;
    }
    Result<void> ready = std::unexpected(count.error());
    channel_.set_write_deadline_in(std::max(until - coarse_now(), std::chrono::nanoseconds(0)));
    if (would_block(count)) ready = co_await channel_.writable();
    if (ready) continue;
    channel_.abort_on_close();
    co_return;
  }
  note_sent();
  end_exchange(ExchangeOutcome::complete);
  channel_.shutdown_write();
}

// If the client has disconnected or is too slow, the connection is reset and the rest of the responses is lost.
ConnectionState Connection::send_rest(const Result<void>& ready) noexcept {
  while (ready && !context_->unsent().empty()) {
    const Result<std::size_t> count = channel_.try_write(context_->unsent());
    if (would_block(count)) {
      channel_.set_write_deadline_in(transfer_timeout_.left());
      return ConnectionState::send_rest;
    }
    if (!count) break;
    context_->add_sent(*count);
    transfer_timeout_.add_moved(*count);
  }
  channel_.set_write_deadline_in(kNoDeadline);
  if (context_->unsent().empty()) {
    note_sent();
    if (after_send_ == ConnectionState::await_handler) entry_.times().begin_handler();
    return after_send_;
  }
  end_exchange(timed_out(ready) ? ExchangeOutcome::timed_out : ExchangeOutcome::disconnected);
  channel_.abort_on_close();
  return ConnectionState::close;
}

}  // namespace volt::http::server
