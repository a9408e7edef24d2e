#include "http/serve/conversation.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "http/serve/respond.h"

namespace volt::http::serve {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kNoDeadline = nanoseconds::max();
constexpr std::size_t kDropBytes = 16 * 1024;  // at a time, while lingering

bool would_block(const Result<std::size_t>& count) noexcept {
  return !count && count.error() == std::errc::operation_would_block;
}

bool timed_out(const Result<void>& ready) noexcept { return !ready && ready.error() == std::errc::timed_out; }

}  // namespace

Conversation::Conversation(Site& site, TcpStream& stream) noexcept : site_(site), stream_(stream), exchange_(site) {
  stream_.set_read_deadline_in(site_.options.idle_timeout);
}

Step Conversation::read(Step reading, const Result<void>& ready) {
  if (reading == Step::linger) return drop_received(ready);
  return reading == Step::read_body ? read_body(ready) : read_head(ready);
}

// Also after a deadline there is one look at what has come: it may lie there since before, on a busy machine.
Step Conversation::read_head(const Result<void>& ready) {
  if (!ready && ready.error() == std::errc::interrupted) return say_goodbye();
  exchange_.take();
  const Result<std::size_t> count = stream_.try_read(exchange_->room());
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

// Draining. A request that is on its way already is still answered, so the connection idles a little longer.
Step Conversation::say_goodbye() noexcept {
  const bool idle = !exchange_ || !exchange_->started();
  if (idle && !saying_goodbye_) {
    stream_.set_read_deadline_in(site_.options.drain_linger);
    saying_goodbye_ = true;
  }
  return Step::read_head;
}

Step Conversation::run_out_of_time() {
  if (exchange_->started()) return refuse(Status::request_timeout);
  return enter(Step::linger);  // it idled: there is nothing to answer
}

Step Conversation::proceed() {
  Step next = Step::proceed;
  while (next == Step::proceed) {
    const auto head = exchange_->decode_head();
    if (!head) return refuse(codec::status_for(head.error()));
    if (*head == codec::HeadState::need_more) return send_then(Step::read_head);
    next = exchange_->decoder().has_body() ? begin_body() : run_handler();
  }
  return next;
}

Step Conversation::begin_body() {
  const auto whole = exchange_->decode_body();
  if (!whole) return refuse(codec::status_for(whole.error()));
  if (*whole) return run_handler();
  if (exchange_->decoder().expect_continue()) {  // RFC 9110 section 10.1.1
    Request& request = exchange_->request();
    const App::Found found = site_.app.find(request.method(), request.path());
    if (found.handler == nullptr) return answer(std::move(respond(found, request).close()));
    exchange_->promise_to_read();
  }
  return send_then(Step::read_body);  // answers to earlier requests must not wait for this one
}

Step Conversation::read_body(const Result<void>& ready) {
  const Result<std::size_t> count = stream_.try_read(exchange_->room());
  if (would_block(count)) return timed_out(ready) ? refuse(Status::request_timeout) : Step::read_body;
  if (!count) return Step::close;
  if (*count == 0) return refuse(Status::bad_request);  // RFC 9112 section 8: an incomplete message
  exchange_->add_received(*count);
  const auto whole = exchange_->decode_body();
  if (!whole) return refuse(codec::status_for(whole.error()));
  if (!*whole) {
    stream_.set_read_deadline_in(patience(exchange_->body_bytes()));
    return Step::read_body;
  }
  const Step next = run_handler();
  return next == Step::proceed ? proceed() : next;
}

Step Conversation::run_handler() {
  Request& request = exchange_->request();
  const App::Found found = site_.app.find(request.method(), request.path());
  if (found.handler == nullptr || found.handler->plain() != nullptr) return answer(respond(found, request));
  coroutine_ = found.handler->coroutine();
  return send_then(Step::await_handler);  // nor must they wait for this one, which may take its time
}

Step Conversation::answer(Response response) {
  if (code(response.status()) < 200) {  // an interim answer would leave the client waiting for another
    std::fprintf(stderr, "volt: a handler answered with status %u, which ends no request\n", code(response.status()));
    response = Response::plain(Status::internal_server_error);
  }
  last_ = !exchange_->decoder().keep_alive() || response.closes() || site_.draining();
  exchange_->answer(response, !last_, site_.date());
  exchange_->finish();
  head_is_timed_ = false;
  if (last_) return send_then(Step::linger);
  if (exchange_->unsent().size() < site_.options.pipelined_bytes_max) return Step::proceed;
  return send_then(Step::proceed);
}

Step Conversation::refuse(Status status) {
  exchange_->refuse(status, site_.date());
  last_ = true;
  return send_then(Step::linger);
}

Step Conversation::send_then(Step next) noexcept {
  while (!exchange_->unsent().empty()) {
    const Result<std::size_t> count = stream_.try_write(exchange_->unsent());
    if (would_block(count)) {
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
    const Result<std::size_t> count = stream_.try_write(exchange_->unsent());
    if (would_block(count)) {
      stream_.set_write_deadline_in(patience(moved_bytes_));
      return Step::send_rest;
    }
    if (!count) break;
    exchange_->add_sent(*count);
    moved_bytes_ += *count;
  }
  stream_.set_write_deadline_in(kNoDeadline);
  if (exchange_->unsent().empty()) return enter(after_send_);
  stream_.abort_on_close();
  return Step::close;
}

// After our last byte: lets the peer read it before the connection goes. A close with unread data would make the kernel
// send a reset, which may overtake the answer (RFC 9112 section 9.6).
Step Conversation::drop_received(const Result<void>& ready) noexcept {
  if (timed_out(ready)) return Step::close;
  std::array<std::byte, kDropBytes> dropped;
  const Result<std::size_t> count = stream_.try_read(dropped);
  if (would_block(count)) return Step::linger;
  if (!count || *count == 0) return Step::close;
  moved_bytes_ += *count;
  return moved_bytes_ < site_.options.linger_bytes_max ? Step::linger : Step::close;
}

// A step begins, and with it its deadline.
Step Conversation::enter(Step step) noexcept {
  moved_bytes_ = 0;
  switch (step) {
    case Step::read_head:
      time_head();
      break;
    case Step::read_body:
      began_ = coarse_now();
      stream_.set_read_deadline_in(patience(exchange_->body_bytes()));
      break;
    case Step::send_rest:
      began_ = coarse_now();
      stream_.set_write_deadline_in(patience(0));
      break;
    case Step::linger:
      exchange_.give_back();
      stream_.shutdown_write();
      stream_.set_read_deadline_in(site_.options.linger_timeout);
      break;
    case Step::await_handler:
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
    stream_.set_read_deadline_in(site_.options.idle_timeout);
  } else if (!head_is_timed_) {
    stream_.set_read_deadline_in(site_.options.head_timeout);
    head_is_timed_ = true;
  }
}

// How long a transfer may still wait: until it stalls, or is below the least rate on the average. Never negative.
nanoseconds Conversation::patience(std::size_t bytes_moved) const noexcept {
  const ServerOptions& options = site_.options;
  const std::size_t least_rate = std::max<std::size_t>(1, options.rate_bytes_per_second_min);
  const nanoseconds left = began_ + options.rate_grace + std::chrono::seconds(bytes_moved / least_rate) - coarse_now();
  return std::clamp<nanoseconds>(left, nanoseconds(0), options.stall_timeout);
}

}  // namespace volt::http::serve
