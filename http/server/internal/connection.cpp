#include "http/server/internal/connection.h"

#include <array>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "http/server/internal/body_sender.h"
#include "http/server/internal/respond.h"
#include "http/server/internal/upgraded_connection.h"
#include "http/web/problem.h"
#include "runtime/cancel.h"
#include "runtime/log.h"
#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::server {
namespace {

constexpr std::size_t kSkipBytesMax = 64 * 1024;  // of a body that nobody read, before the connection ends instead

void log_aborted(std::string_view path, const char* what) noexcept {
  log(LogLevel::warning, "an answer broke off", {{"path", path}, {"error", what}});
}

void log_aborted(std::string_view path, const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const Disconnected&) {  // decided: nobody is left to be told
  } catch (const std::exception& error) {
    log_aborted(path, error.what());
  } catch (...) {  // decided: it is told, and the connection ends
    log_aborted(path, "something was thrown that is no std::exception");
  }
}

}  // namespace

Connection::Connection(ServerState& server_state, IoChannel& io_channel, ConnectionEntry& entry) noexcept
    : server_state_(server_state),
      channel_(io_channel),
      entry_(entry),
      context_(server_state),
      body_(io_channel, context_, server_state),
      transfer_timeout_(server_state.options) {
  channel_.set_read_deadline_in(server_state_.idle_timeout());
}

ConnectionState Connection::read(ConnectionState reading, const Result<void>& ready) {
  switch (reading) {
    case ConnectionState::read_body:
      return read_body(ready);
    case ConnectionState::drop_body:
      return read_to_drop(ready);
    case ConnectionState::linger:
      return drop_received(ready);
    default:
      return read_head(ready);
  }
}

// Also after a deadline there is one look at what has come: it may lie there since before, on a busy machine.
ConnectionState Connection::read_head(const Result<void>& ready) {
  if (interrupted(ready)) return schedule_idle_close();
  if (!context_ && server_state_.overload.memory.state() == MemoryBudget::State::exhausted)
    return reject_without_memory(ready);
  context_.take();
  const Result<std::size_t> count = channel_.try_read(context_->room());
  if (would_block(count)) {
    if (timed_out(ready)) return run_out_of_time();
    if (context_->idle()) context_.give_back();
    return ConnectionState::read_head;
  }
  if (!count) return ConnectionState::close;
  if (*count == 0) {  // the peer sends no more
    if (!context_->started()) return ConnectionState::close;
    return refuse(Status::bad_request);  // RFC 9112 section 8: an incomplete message
  }
  context_->add_received(*count);
  return proceed();
}

ConnectionState Connection::run_out_of_time() {
  if (context_->started()) return refuse(Status::request_timeout);
  return enter(ConnectionState::linger);  // it idled: there is nothing to answer
}

ConnectionState Connection::proceed() {
  ConnectionState next = ConnectionState::proceed;
  while (next == ConnectionState::proceed) {
    const auto head = context_->decode_head();
    if (!head) return refuse(http1::status_for(head.error()));
    if (*head == http1::HeadState::need_more) return send_then(ConnectionState::read_head);
    next = begin_request();
  }
  return next;
}

Request& Connection::open_request() {
  Request& request = context_->open_request(&body_);
  request.set_connection(*this);
  endpoint_ = &server_state_.service.find(request);
  return request;
}

// A plain function that wants the body is called when all of it is here. Everything else begins now, and reads the body
// when it wants it.
ConnectionState Connection::begin_request() {
  body_.reset();
  const Request& request = open_request();
  entry_.begin_request(endpoint_->route, request.method());
  const bool has_body = context_->decoder().has_body();
  if (const auto reason = server_state_.overload.overload_reason(this_turn(), has_body))
    return refuse_overloaded(*reason);
  if (endpoint_->direct != nullptr) {
    return has_body && endpoint_->chain.handler->body() == BodyUse::whole ? gather_body() : respond_directly();
  }
  if (has_body) {
    context_->pin_head();
    gather_what_is_here();
    open_request();
  }
  return send_then(
      ConnectionState::await_handler);  // answers to earlier requests must not wait for one that may take its time
}

// A small body that came with its head costs no coroutine.
void Connection::gather_what_is_here() {
  if (endpoint_->chain.handler->body() == BodyUse::whole) context_->gather_if_whole();
}

ConnectionState Connection::gather_body() {
  const auto whole = context_->decode_body();
  if (!whole) return refuse(http1::status_for(whole.error()));
  if (*whole) {
    open_request();
    return respond_directly();
  }
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
  const auto whole = context_->decode_body();
  if (!whole) return refuse(http1::status_for(whole.error()));
  if (!*whole) {
    transfer_timeout_.add_moved(*count);
    server_state_.overload.memory.charge(*count * kCopiesOfBody, coarse_now());
    channel_.set_read_deadline_in(transfer_timeout_.left());
    return ConnectionState::read_body;
  }
  open_request();
  const ConnectionState next = respond_directly();
  return next == ConnectionState::proceed ? proceed() : next;
}

ConnectionState Connection::respond_directly() { return send_response(respond(*endpoint_, context_->request())); }

Task<Response> Connection::run_handler() { return respond_later(*endpoint_, context_->request()); }

ConnectionState Connection::send_response(Response response) {
  if (code(response.status()) < 200 && response.upgrade() == nullptr) {
    // An interim answer would leave the client waiting for another.
    log(LogLevel::error, "a handler answered with a status that ends no request",
        {{"status", code(response.status())}, {"path", context_->request().path()}});
    response = Problem(Status::internal_server_error).to_response();
  }
  entry_.answered(response.status());
  last_ = must_end(response);
  const std::size_t begin = context_->out().size();
  context_->respond(response, !last_, server_state_.date());
  if (response.upgrade() != nullptr) {
    streamed_.emplace(std::move(response));
    return send_then(ConnectionState::switch_protocol);
  }
  if (response.stream() != nullptr && context_->body_framing(response) != server::BodyFraming::none) {
    last_ = last_ || context_->body_framing(response) == server::BodyFraming::close;
    streamed_begin_ = begin;
    streamed_.emplace(std::move(response));
    return ConnectionState::send_body;
  }
  return end_response();
}

// Told before the head is composed, which says so.
bool Connection::must_end(const Response& response) {
  return !context_->decoder().keep_alive() || response.closes() || server_state_.drain_announced() || body_.failed() ||
         !can_skip_body(response);
}

// A client that waits for a 100 will not send the body now, or will: there is no telling (RFC 9110 section 10.1.1).
// Neither is there of how many chunks are to come; but those that are here may be all, and only a stream may still want
// them.
bool Connection::can_skip_body(const Response& response) {
  if (context_->body_done()) return true;
  if (body_.awaits_continue()) return false;
  if (const auto left = context_->decoder().body_left_bytes()) return *left <= kSkipBytesMax;
  if (response.stream() == nullptr) context_->drop_body();
  return context_->body_done();
}

Task<ConnectionState> Connection::send_body() {
  const server::BodyFraming end = context_->body_framing(*streamed_);
  BodySender sender(channel_, *context_, server_state_, end, streamed_->body_size().value_or(0));
  std::exception_ptr failure;
  bool cancelled = false;
  try {
    auto producing = streamed_->stream()->write_to(sender);
    co_await std::move(producing);
    auto finishing = sender.finish();
    co_await std::move(finishing);
  } catch (const Cancelled&) {  // decided below
    cancelled = true;
  } catch (...) {  // decided below
    failure = std::current_exception();
  }
  if (cancelled) {
    co_await yield();  // throws again if it was this task that was cancelled
    failure = std::make_exception_ptr(std::runtime_error("Cancelled, of a task that it awaited"));
  }
  streamed_.reset();
  if (!failure) {
    last_ = last_ || sender.has_dropped();
    co_return end_response();
  }
  if (!sender.has_begun()) co_return respond_with_error(failure);
  log_aborted(context_->request().path(), failure);
  if (end == server::BodyFraming::close) channel_.abort_on_close();
  co_return ConnectionState::close;
}

// Nothing of the streamed answer has left. An error answer that is streamed too could fail in turn.
ConnectionState Connection::respond_with_error(const std::exception_ptr& failure) {
  context_->out().resize(streamed_begin_);
  Response response = server_state_.service.errors().respond(failure, context_->request());
  if (response.stream() != nullptr) {
    response = Problem(Status::internal_server_error).to_response(context_->request().id());
  }
  return send_response(std::move(response));
}

Task<ConnectionState> Connection::run_upgrade() {
  channel_.set_read_deadline_in(kNoDeadline);
  UpgradedConnection connection(channel_, server_state_, context_->take_rest());
  // It may last for days: it keeps no buffer, and of the request only what middleware has put.
  const std::string_view pattern = context_->request().pattern();
  const message::TypedStore extensions = context_->request().release_extensions();
  context_.give_back();
  bool cancelled = false;
  try {
    auto upgrading = streamed_->upgrade()->run(connection);
    co_await std::move(upgrading);
  } catch (const Cancelled&) {  // decided below
    cancelled = true;
  } catch (...) {  // decided: the connection ends
    log_aborted(pattern, std::current_exception());
  }
  if (cancelled) co_await yield();  // throws again if it was this task that was cancelled
  entry_.end_request();
  streamed_.reset();
  last_ = true;
  co_return enter(ConnectionState::linger);
}

// The head and all of the body are composed, and at least partly sent.
ConnectionState Connection::end_response() {
  entry_.end_request();
  if (context_->request().has_after_response()) return send_then(ConnectionState::finish);
  return finish();
}

ConnectionState Connection::finish() {
  if (!last_ && !context_->body_done()) return skip_body();
  client_is_done_ = context_->body_done() && !context_->decoder().keep_alive();
  context_->finish();
  head_is_timed_ = false;
  if (last_) return send_then(ConnectionState::linger);
  if (context_->unsent().size() < server_state_.options.pipelined_bytes_max) return ConnectionState::proceed;
  return send_then(ConnectionState::proceed);
}

// What the handler left of the request's body (RFC 9112 section 9.3.2): can_skip_body() has bounded it.
ConnectionState Connection::skip_body() {
  context_->drop_body();
  return context_->body_done() ? finish() : send_then(ConnectionState::drop_body);
}

ConnectionState Connection::read_to_drop(const Result<void>& ready) {
  const Result<std::size_t> count = channel_.try_read(context_->room());
  if (would_block(count)) return timed_out(ready) ? enter(ConnectionState::linger) : ConnectionState::drop_body;
  if (!count || *count == 0) return ConnectionState::close;
  context_->add_received(*count);
  transfer_timeout_.add_moved(*count);
  channel_.set_read_deadline_in(transfer_timeout_.left());
  return skip_body();
}

ConnectionState Connection::refuse(Status status) {
  entry_.answered(status);
  entry_.end_request();
  context_->refuse(status, server_state_.date());
  last_ = true;
  return send_then(ConnectionState::linger);
}

ConnectionState Connection::send_then(ConnectionState next) noexcept {
  if (next == ConnectionState::linger) channel_.cork();
  while (!context_->unsent().empty()) {
    const Result<std::size_t> count = channel_.try_write(context_->unsent());
    if (would_block(count)) {
      server_state_.overload.memory.charge(context_->unsent().size(), coarse_now());
      state_after_send_ = next;
      return enter(ConnectionState::send_rest);
    }
    if (!count) return ConnectionState::close;
    context_->add_sent(*count);
  }
  return enter(next);
}

// A peer that is gone or too slow loses what is left.
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
  if (context_->unsent().empty()) return enter(state_after_send_);
  channel_.abort_on_close();
  return ConnectionState::close;
}

// After our last byte. A close with unread data would make the kernel send a reset, and so would data that comes later:
// it may overtake the answer (RFC 9112 section 9.6). A client that has asked for the close has nothing more to say.
ConnectionState Connection::start_linger() noexcept {
  transfer_timeout_.begin();
  context_.give_back();
  channel_.shutdown_write();
  if (client_is_done_) {
    const ConnectionState next = drop_received({});
    if (next == ConnectionState::close || transfer_timeout_.moved_bytes() == 0) return ConnectionState::close;
  }
  channel_.set_read_deadline_in(server_state_.options.linger_timeout);
  return ConnectionState::linger;
}

// Lets the peer read our answer before the connection goes.
ConnectionState Connection::drop_received(const Result<void>& ready) noexcept {
  if (timed_out(ready)) return ConnectionState::close;
  std::array<std::byte, kIgnoredBytes> dropped;
  const Result<std::size_t> count = channel_.try_read(dropped);
  if (would_block(count)) return ConnectionState::linger;
  if (!count || *count == 0) return ConnectionState::close;
  transfer_timeout_.add_moved(*count);
  return transfer_timeout_.moved_bytes() < server_state_.options.linger_bytes_max ? ConnectionState::linger
                                                                                  : ConnectionState::close;
}

// A state begins, and with it its deadline.
ConnectionState Connection::enter(ConnectionState state) noexcept {
  switch (state) {
    case ConnectionState::read_head:
      time_head();
      break;
    case ConnectionState::read_body:
    case ConnectionState::drop_body:
      transfer_timeout_.begin();
      channel_.set_read_deadline_in(transfer_timeout_.left());
      break;
    case ConnectionState::send_rest:
      transfer_timeout_.begin();
      channel_.set_write_deadline_in(transfer_timeout_.left());
      break;
    case ConnectionState::linger:
      return start_linger();
    case ConnectionState::await_memory:
    case ConnectionState::await_handler:
    case ConnectionState::send_body:
    case ConnectionState::switch_protocol:
    case ConnectionState::finish:
    case ConnectionState::proceed:
    case ConnectionState::close:
      break;
  }
  return state;
}

// A connection that idles holds no buffer. The deadline of a head counts from its first byte, whatever follows.
void Connection::time_head() noexcept {
  if (context_->idle()) {
    context_.give_back();
    channel_.set_read_deadline_in(server_state_.idle_timeout());
    idle_close_scheduled_ = false;
  } else if (!head_is_timed_) {
    channel_.set_read_deadline_in(server_state_.options.head_timeout);
    head_is_timed_ = true;
  }
}

}  // namespace volt::http::server
