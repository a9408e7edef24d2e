#include "http/server/internal/conversation.h"

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

void log_broken(std::string_view path, const char* what) noexcept {
  log(LogLevel::warning, "an answer broke off", {{"path", path}, {"what", what}});
}

void log_broken(std::string_view path, const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const Disconnected&) {  // decided: nobody is left to be told
  } catch (const std::exception& error) {
    log_broken(path, error.what());
  } catch (...) {  // decided: it is told, and the connection ends
    log_broken(path, "something was thrown that is no std::exception");
  }
}

}  // namespace

Conversation::Conversation(Site& site, Wire& wire, ConnectionRecord& record) noexcept
    : site_(site),
      wire_(wire),
      record_(record),
      exchange_(site),
      body_(wire, exchange_, site),
      patience_(site.options) {
  wire_.set_read_deadline_in(site_.idle_timeout());
}

Step Conversation::read(Step reading, const Result<void>& ready) {
  switch (reading) {
    case Step::read_body:
      return read_body(ready);
    case Step::drop_body:
      return read_to_drop(ready);
    case Step::linger:
      return drop_received(ready);
    default:
      return read_head(ready);
  }
}

// Also after a deadline there is one look at what has come: it may lie there since before, on a busy machine.
Step Conversation::read_head(const Result<void>& ready) {
  if (interrupted(ready)) return say_goodbye();
  if (!exchange_ && site_.overload.memory.state() == MemoryBudget::State::exhausted) return turn_away(ready);
  exchange_.take();
  const Result<std::size_t> count = wire_.try_read(exchange_->room());
  if (would_block(count)) {
    if (timed_out(ready)) return run_out_of_time();
    if (exchange_->idle()) exchange_.give_back();
    return Step::read_head;
  }
  if (!count) return Step::close;
  if (*count == 0) {  // the peer sends no more
    if (!exchange_->started()) return Step::close;
    return refuse(Status::bad_request);  // RFC 9112 section 8: an incomplete message
  }
  exchange_->add_received(*count);
  return proceed();
}

Step Conversation::run_out_of_time() {
  if (exchange_->started()) return refuse(Status::request_timeout);
  return enter(Step::linger);  // it idled: there is nothing to answer
}

Step Conversation::proceed() {
  Step next = Step::proceed;
  while (next == Step::proceed) {
    const auto head = exchange_->decode_head();
    if (!head) return refuse(http1::status_for(head.error()));
    if (*head == http1::HeadState::need_more) return send_then(Step::read_head);
    next = begin_request();
  }
  return next;
}

Request& Conversation::open_request() {
  Request& request = exchange_->open_request(&body_);
  request.set_connection(*this);
  endpoint_ = &site_.service.find(request);
  return request;
}

// A plain function that wants the body is called when all of it is here. Everything else begins now, and reads the body
// when it wants it.
Step Conversation::begin_request() {
  body_.reset();
  const Request& request = open_request();
  record_.begin_request(endpoint_->route, request.method());
  const bool has_body = exchange_->decoder().has_body();
  if (const auto strain = site_.overload.strain_of_request(this_turn(), has_body)) return refuse_strained(*strain);
  if (endpoint_->direct != nullptr) {
    return has_body && endpoint_->chain.handler->body() == BodyUse::whole ? gather_body() : answer_directly();
  }
  if (has_body) {
    exchange_->pin_head();
    gather_what_is_here();
    open_request();
  }
  return send_then(Step::await_handler);  // answers to earlier requests must not wait for one that may take its time
}

// A small body that came with its head costs no coroutine.
void Conversation::gather_what_is_here() {
  if (endpoint_->chain.handler->body() == BodyUse::whole) exchange_->gather_if_whole();
}

Step Conversation::gather_body() {
  const auto whole = exchange_->decode_body();
  if (!whole) return refuse(http1::status_for(whole.error()));
  if (*whole) {
    open_request();
    return answer_directly();
  }
  if (exchange_->decoder().expect_continue()) exchange_->promise_to_read();  // RFC 9110 section 10.1.1
  return send_then(Step::read_body);
}

Step Conversation::read_body(const Result<void>& ready) {
  if (site_.overload.memory.low()) return Step::await_memory;
  const Result<std::size_t> count = wire_.try_read(exchange_->room());
  if (would_block(count)) return timed_out(ready) ? refuse(Status::request_timeout) : Step::read_body;
  if (!count) return Step::close;
  if (*count == 0) return refuse(Status::bad_request);  // RFC 9112 section 8: an incomplete message
  exchange_->add_received(*count);
  const auto whole = exchange_->decode_body();
  if (!whole) return refuse(http1::status_for(whole.error()));
  if (!*whole) {
    patience_.add_moved(*count);
    site_.overload.memory.charge(*count * kCopiesOfBody, coarse_now());
    wire_.set_read_deadline_in(patience_.left());
    return Step::read_body;
  }
  open_request();
  const Step next = answer_directly();
  return next == Step::proceed ? proceed() : next;
}

Step Conversation::answer_directly() { return answer(respond(*endpoint_, exchange_->request())); }

Task<Response> Conversation::run_handler() { return respond_later(*endpoint_, exchange_->request()); }

Step Conversation::answer(Response response) {
  if (code(response.status()) < 200 && response.upgrade() == nullptr) {
    // An interim answer would leave the client waiting for another.
    log(LogLevel::error, "a handler answered with a status that ends no request",
        {{"status", code(response.status())}, {"path", exchange_->request().path()}});
    response = Problem(Status::internal_server_error).to_response();
  }
  record_.answered(response.status());
  last_ = must_end(response);
  const std::size_t begin = exchange_->out().size();
  exchange_->answer(response, !last_, site_.date());
  if (response.upgrade() != nullptr) {
    streamed_.emplace(std::move(response));
    return send_then(Step::switch_protocol);
  }
  if (response.stream() != nullptr && exchange_->body_end(response) != server::BodyEnd::none) {
    last_ = last_ || exchange_->body_end(response) == server::BodyEnd::close;
    streamed_begin_ = begin;
    streamed_.emplace(std::move(response));
    return Step::send_body;
  }
  return end_answer();
}

// Told before the head is composed, which says so.
bool Conversation::must_end(const Response& response) {
  return !exchange_->decoder().keep_alive() || response.closes() || site_.drain_announced() || body_.failed() ||
         !can_skip_body(response);
}

// A client that waits for a 100 will not send the body now, or will: there is no telling (RFC 9110 section 10.1.1).
// Neither is there of how many chunks are to come; but those that are here may be all, and only a stream may still want
// them.
bool Conversation::can_skip_body(const Response& response) {
  if (exchange_->body_done()) return true;
  if (body_.awaits_promise()) return false;
  if (const auto left = exchange_->decoder().body_left_bytes()) return *left <= kSkipBytesMax;
  if (response.stream() == nullptr) exchange_->drop_body();
  return exchange_->body_done();
}

Task<Step> Conversation::send_body() {
  const server::BodyEnd end = exchange_->body_end(*streamed_);
  BodySender sender(wire_, *exchange_, site_, end, streamed_->body_size().value_or(0));
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
    co_return end_answer();
  }
  if (!sender.has_begun()) co_return answer_instead(failure);
  log_broken(exchange_->request().path(), failure);
  if (end == server::BodyEnd::close) wire_.abort_on_close();
  co_return Step::close;
}

// Nothing of the streamed answer has left. An error answer that is streamed too could fail in turn.
Step Conversation::answer_instead(const std::exception_ptr& failure) {
  exchange_->out().resize(streamed_begin_);
  Response response = site_.service.errors().answer(failure, exchange_->request());
  if (response.stream() != nullptr) {
    response = Problem(Status::internal_server_error).to_response(exchange_->request().id());
  }
  return answer(std::move(response));
}

Task<Step> Conversation::speak() {
  wire_.set_read_deadline_in(kNoDeadline);
  UpgradedConnection connection(wire_, site_, exchange_->take_rest());
  // It may last for days: it keeps no buffer, and of the request only what middleware has put.
  const std::string_view pattern = exchange_->request().pattern();
  const message::TypedStore findings = exchange_->request().release_findings();
  exchange_.give_back();
  bool cancelled = false;
  try {
    auto speaking = streamed_->upgrade()->speak(connection);
    co_await std::move(speaking);
  } catch (const Cancelled&) {  // decided below
    cancelled = true;
  } catch (...) {  // decided: the connection ends
    log_broken(pattern, std::current_exception());
  }
  if (cancelled) co_await yield();  // throws again if it was this task that was cancelled
  record_.end_request();
  streamed_.reset();
  last_ = true;
  co_return enter(Step::linger);
}

// The head and all of the body are composed, and at least partly sent.
Step Conversation::end_answer() {
  record_.end_request();
  if (exchange_->request().has_after_response()) return send_then(Step::finish);
  return finish();
}

Step Conversation::finish() {
  if (!last_ && !exchange_->body_done()) return skip_body();
  client_is_done_ = exchange_->body_done() && !exchange_->decoder().keep_alive();
  exchange_->finish();
  head_is_timed_ = false;
  if (last_) return send_then(Step::linger);
  if (exchange_->unsent().size() < site_.options.pipelined_bytes_max) return Step::proceed;
  return send_then(Step::proceed);
}

// What the handler left of the request's body (RFC 9112 section 9.3.2): can_skip_body() has bounded it.
Step Conversation::skip_body() {
  exchange_->drop_body();
  return exchange_->body_done() ? finish() : send_then(Step::drop_body);
}

Step Conversation::read_to_drop(const Result<void>& ready) {
  const Result<std::size_t> count = wire_.try_read(exchange_->room());
  if (would_block(count)) return timed_out(ready) ? enter(Step::linger) : Step::drop_body;
  if (!count || *count == 0) return Step::close;
  exchange_->add_received(*count);
  patience_.add_moved(*count);
  wire_.set_read_deadline_in(patience_.left());
  return skip_body();
}

Step Conversation::refuse(Status status) {
  record_.answered(status);
  record_.end_request();
  exchange_->refuse(status, site_.date());
  last_ = true;
  return send_then(Step::linger);
}

Step Conversation::send_then(Step next) noexcept {
  if (next == Step::linger) wire_.hold_for_end();
  while (!exchange_->unsent().empty()) {
    const Result<std::size_t> count = wire_.try_write(exchange_->unsent());
    if (would_block(count)) {
      site_.overload.memory.charge(exchange_->unsent().size(), coarse_now());
      after_send_ = next;
      return enter(Step::send_rest);
    }
    if (!count) return Step::close;
    exchange_->add_sent(*count);
  }
  return enter(next);
}

// A peer that is gone or too slow loses what is left.
Step Conversation::send_rest(const Result<void>& ready) noexcept {
  while (ready && !exchange_->unsent().empty()) {
    const Result<std::size_t> count = wire_.try_write(exchange_->unsent());
    if (would_block(count)) {
      wire_.set_write_deadline_in(patience_.left());
      return Step::send_rest;
    }
    if (!count) break;
    exchange_->add_sent(*count);
    patience_.add_moved(*count);
  }
  wire_.set_write_deadline_in(kNoDeadline);
  if (exchange_->unsent().empty()) return enter(after_send_);
  wire_.abort_on_close();
  return Step::close;
}

// After our last byte. A close with unread data would make the kernel send a reset, and so would data that comes later:
// it may overtake the answer (RFC 9112 section 9.6). A client that has asked for the close has nothing more to say.
Step Conversation::part() noexcept {
  patience_.begin();
  exchange_.give_back();
  wire_.shutdown_write();
  if (client_is_done_) {
    const Step next = drop_received({});
    if (next == Step::close || patience_.moved_bytes() == 0) return Step::close;
  }
  wire_.set_read_deadline_in(site_.options.linger_timeout);
  return Step::linger;
}

// Lets the peer read our answer before the connection goes.
Step Conversation::drop_received(const Result<void>& ready) noexcept {
  if (timed_out(ready)) return Step::close;
  std::array<std::byte, kIgnoredBytes> dropped;
  const Result<std::size_t> count = wire_.try_read(dropped);
  if (would_block(count)) return Step::linger;
  if (!count || *count == 0) return Step::close;
  patience_.add_moved(*count);
  return patience_.moved_bytes() < site_.options.linger_bytes_max ? Step::linger : Step::close;
}

// A step begins, and with it its deadline.
Step Conversation::enter(Step step) noexcept {
  switch (step) {
    case Step::read_head:
      time_head();
      break;
    case Step::read_body:
    case Step::drop_body:
      patience_.begin();
      wire_.set_read_deadline_in(patience_.left());
      break;
    case Step::send_rest:
      patience_.begin();
      wire_.set_write_deadline_in(patience_.left());
      break;
    case Step::linger:
      return part();
    case Step::await_memory:
    case Step::await_handler:
    case Step::send_body:
    case Step::switch_protocol:
    case Step::finish:
    case Step::proceed:
    case Step::close:
      break;
  }
  return step;
}

// A connection that idles holds no buffer. The deadline of a head counts from its first byte, whatever follows.
void Conversation::time_head() noexcept {
  if (exchange_->idle()) {
    exchange_.give_back();
    wire_.set_read_deadline_in(site_.idle_timeout());
    saying_goodbye_ = false;
  } else if (!head_is_timed_) {
    wire_.set_read_deadline_in(site_.options.head_timeout);
    head_is_timed_ = true;
  }
}

}  // namespace volt::http::server
