// Conversation: all that a connection does between two waits. It reads what is there, decodes it, runs handlers that
// are plain functions, composes the answers and sends what the kernel takes; then it says what to wait for.
//
// A plain class beside the coroutine that waits (connection.cpp), so that readable -> read -> decode -> handler ->
// encode -> send is one chain of calls: no frame and no allocation of its own. Bodies that are streamed, either way, are
// coroutines beside it (body_reader.h, body_sender.h).
//
// A request gets exactly one answer: answer() or refuse(), of which the latter ends the conversation. One that is
// streamed and fails before anything of it was sent is taken back, and answered as what the handler throws.
//
// Threads: its connection's. Lifetime: in the connection's frame, beside the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

#include "http/server/internal/body_reader.h"
#include "http/server/internal/exchange.h"
#include "http/server/internal/patience.h"
#include "http/server/internal/service.h"
#include "http/server/internal/wire.h"
#include "http/server/site.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http::server {

inline constexpr std::size_t kIgnoredBytes = 16 * 1024;  // at a time, of what is not looked at

// What the connection does next.
enum class Step : std::uint8_t {
  read_head,        // wait until readable, then read(): more of a head, or the next request
  read_body,        // the same: more of a body that its handler wants whole
  await_memory,     // await await_memory(): before more of that body is read
  drop_body,        // the same: more of a body that nobody wanted
  linger,           // the same: all is said, what comes now is dropped until the peer has read our last answer
  send_rest,        // wait until writable, then send_rest(): the kernel took less than there was
  await_handler,    // await run_handler(), then answer()
  send_body,        // await send_body()
  switch_protocol,  // await speak()
  finish,           // finish(): the answer is with the kernel
  proceed,          // proceed(): there may be more requests among the bytes received
  close,            // the end
};

class Conversation final : ConnectionFacts {
 public:
  Conversation(Site& site, Wire& wire, ConnectionRecord& record) noexcept;
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Each returns what comes next.

  // The wait of Step::read_head, read_body, drop_body or linger is over.
  [[nodiscard]] Step read(Step reading, const Result<void>& ready);
  [[nodiscard]] Step send_rest(const Result<void>& ready) noexcept;
  // Answers all whole requests among the bytes received, up to the first that takes time.
  [[nodiscard]] Step proceed();
  // To the request whose head is here.
  [[nodiscard]] Step answer(Response response);
  [[nodiscard]] Task<Step> await_memory();
  // Of the answer that is being given.
  [[nodiscard]] Task<Step> send_body();
  [[nodiscard]] Task<Step> speak();
  [[nodiscard]] Step finish();

  // For Step::await_handler. Throws only Cancelled.
  [[nodiscard]] Task<Response> run_handler();

 private:
  [[nodiscard]] std::optional<Address> peer() const noexcept override { return wire_.client(); }
  [[nodiscard]] const Transport* transport() const noexcept override { return wire_.transport(); }

  [[nodiscard]] Step read_head(const Result<void>& ready);
  [[nodiscard]] Step read_body(const Result<void>& ready);
  [[nodiscard]] Step turn_away(const Result<void>& ready) noexcept;
  [[nodiscard]] Step read_to_drop(const Result<void>& ready);
  [[nodiscard]] Step part() noexcept;
  [[nodiscard]] Step drop_received(const Result<void>& ready) noexcept;
  [[nodiscard]] Step say_goodbye() noexcept;
  [[nodiscard]] Step run_out_of_time();

  Request& open_request();
  [[nodiscard]] Step begin_request();
  [[nodiscard]] Step refuse_strained(Strain strain);
  [[nodiscard]] Step gather_body();
  [[nodiscard]] Step answer_directly();
  void gather_what_is_here();

  [[nodiscard]] bool must_end(const Response& response);
  [[nodiscard]] bool can_skip_body(const Response& response);
  [[nodiscard]] Step answer_instead(const std::exception_ptr& failure);
  [[nodiscard]] Step end_answer();
  [[nodiscard]] Step skip_body();
  [[nodiscard]] Step refuse(Status status);
  [[nodiscard]] Step send_then(Step next) noexcept;
  Step enter(Step step) noexcept;
  void time_head() noexcept;

  Site& site_;
  Wire& wire_;
  ConnectionRecord& record_;
  ExchangeLease exchange_;  // held from a request's first byte until its answer is sent
  BodyReader body_;
  Patience patience_;
  const Endpoint* endpoint_ = nullptr;  // of the open request
  std::optional<Response> streamed_;    // send_body, switch_protocol: the answer whose head has been composed
  std::size_t streamed_begin_ = 0;      // send_body: of that head, in Exchange::out()
  Step after_send_ = Step::close;       // send_rest: what comes then
  bool last_ = false;                   // no further request will be answered
  bool client_is_done_ = false;         // it has said that its last request is the last, and sent all of it
  bool head_is_timed_ = false;          // the deadline of the head that has begun is set
  bool saying_goodbye_ = false;         // idle, and told that it is to end: this is the time that it is left
};

}  // namespace volt::http::server
