#include "http/server/internal/body_reader.h"

#include "http/server/internal/sending.h"
#include "http/web/body_writer.h"
#include "http/web/problem.h"
#include "runtime/result.h"

namespace volt::http::server {

Task<std::optional<std::string_view>> BodyReader::next() {
  for (;;) {
    const auto piece = exchange_->decode_piece();
    if (!piece) fail(http1::status_for(piece.error()));
    if (!piece->empty()) co_return *piece;
    if (exchange_->body_done()) co_return std::nullopt;
    auto receiving = receive();
    co_await std::move(receiving);
  }
}

Task<std::string_view> BodyReader::rest() {
  for (;;) {
    const auto whole = exchange_->decode_body();
    if (!whole) fail(http1::status_for(whole.error()));
    if (*whole) co_return exchange_->gathered();
    auto receiving = receive();
    co_await std::move(receiving);
  }
}

// Also after a deadline there is one look at what has come: it may lie there since before, on a busy machine.
Task<> BodyReader::receive() {
  if (awaits_promise()) {
    auto promising = promise_to_read();
    co_await std::move(promising);
  }
  patience_.resume();
  wire_.set_read_deadline_in(patience_.left());  // once: a wait that is interrupted has not moved a byte
  for (;;) {
    const Result<void> ready = co_await wire_.readable();
    if (site_.overload.memory.low()) {
      auto waiting = await_memory();
      co_await std::move(waiting);
    }
    const Result<std::size_t> count = wire_.try_read(exchange_->room());
    if (would_block(count)) {
      if (timed_out(ready)) fail(Status::request_timeout);
      continue;
    }
    if (!count) disconnect();
    if (*count == 0) fail(Status::bad_request);  // RFC 9112 section 8: an incomplete message
    exchange_->add_received(*count);
    patience_.add_moved(*count);
    patience_.pause();
    site_.overload.memory.charge(*count * kCopiesOfBody, coarse_now());
    co_return;
  }
}

Task<> BodyReader::await_memory() {
  patience_.pause();
  bool relieved = true;
  while (relieved && site_.overload.memory.low()) {
    auto waiting = site_.overload.memory.relief();
    relieved = co_await std::move(waiting);
  }
  patience_.resume();
  if (relieved) co_return;
  site_.overload.note(Strain::memory, coarse_now());
  failed_ = true;
  throw unavailable().close();
}

Task<> BodyReader::promise_to_read() {
  promised_ = true;
  exchange_->promise_to_read();
  auto sending = send_composed(wire_, *exchange_, patience_);
  const Result<void> sent = co_await std::move(sending);
  if (!sent) disconnect();
}

void BodyReader::fail(Status status) {
  failed_ = true;
  throw Problem(status).close();
}

void BodyReader::disconnect() {
  failed_ = true;
  throw Disconnected();
}

}  // namespace volt::http::server
