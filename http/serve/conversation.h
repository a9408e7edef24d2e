// Conversation: all that a connection does between two waits. It reads what is there, decodes it, runs handlers that
// are plain functions, composes the answers and sends what the kernel takes; then it says what to wait for.
//
// A plain class beside the coroutine that waits (connection.cpp), so that readable -> read -> decode -> handler ->
// encode -> send is one chain of calls: no frame and no allocation of its own. Rejected: a coroutine for each of the
// slow parts (body, rest of an answer, linger), which cost a frame a POST and hid the state that they share.
//
// A request gets exactly one answer: answer() or refuse(), of which the latter ends the conversation.
//
// Threads: its connection's. Lifetime: in the connection's frame, beside the stream.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "http/serve/exchange.h"
#include "http/serve/site.h"
#include "runtime/result.h"
#include "runtime/tcp.h"

namespace volt::http::serve {

// What the connection does next.
enum class Step : std::uint8_t {
  read_head,      // wait until readable, then read(): more of a head, or the next request
  read_body,      // the same: more of the body
  linger,         // the same: all is said, what comes now is dropped until the peer has read our last answer
  send_rest,      // wait until writable, then send_rest(): the kernel took less than there was
  await_handler,  // run coroutine() on request(), then answer()
  proceed,        // proceed(): there may be more requests among the bytes received
  close,          // the end
};

class Conversation {
 public:
  Conversation(Site& site, TcpStream& stream) noexcept;

  // Each returns what comes next.

  // The wait of Step::read_head, read_body or linger is over.
  [[nodiscard]] Step read(Step reading, const Result<void>& ready);
  [[nodiscard]] Step send_rest(const Result<void>& ready) noexcept;
  // Answers all whole requests among the bytes received, up to the first whose handler is a coroutine.
  [[nodiscard]] Step proceed();
  // To the request whose head and body are here.
  [[nodiscard]] Step answer(Response response);

  // For Step::await_handler. Valid until answer().
  [[nodiscard]] const Handler::Coroutine& coroutine() const noexcept { return *coroutine_; }
  [[nodiscard]] Request& request() const noexcept { return exchange_->request(); }

 private:
  [[nodiscard]] Step read_head(const Result<void>& ready);
  [[nodiscard]] Step read_body(const Result<void>& ready);
  [[nodiscard]] Step drop_received(const Result<void>& ready) noexcept;
  [[nodiscard]] Step say_goodbye() noexcept;
  [[nodiscard]] Step run_out_of_time();
  [[nodiscard]] Step begin_body();
  [[nodiscard]] Step continue_body();
  [[nodiscard]] Step run_handler();
  [[nodiscard]] Step refuse(Status status);
  [[nodiscard]] Step send_then(Step next) noexcept;
  Step enter(Step step) noexcept;
  void time_head() noexcept;
  [[nodiscard]] std::chrono::nanoseconds patience(std::size_t bytes_moved) const noexcept;

  Site& site_;
  TcpStream& stream_;
  ExchangeLease exchange_;                         // held from a request's first byte until its answer is sent
  const Handler::Coroutine* coroutine_ = nullptr;  // while Step::await_handler
  std::chrono::nanoseconds began_{0};              // read_body, send_rest: when
  std::size_t moved_bytes_ = 0;                    // send_rest, linger: since then
  Step after_send_ = Step::close;                  // send_rest: what comes then
  bool last_ = false;                              // no further request will be answered
  bool head_is_timed_ = false;                     // the deadline of the head that has begun is set
  bool saying_goodbye_ = false;                    // draining: this is the time that an idle connection is left
};

}  // namespace volt::http::serve
