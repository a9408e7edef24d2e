// SPDX-License-Identifier: MIT

#include "http/server/internal/body_reader.h"

#include "http/server/internal/request_watch.h"
#include "http/server/internal/sending.h"
#include "http/web/body_writer.h"
#include "http/web/problem.h"
#include "runtime/result.h"
#include "runtime/work_class.h"

namespace volt::http::server {
namespace {

// Maximum number of bytes that wait for a slow client while further interim responses are sent.
constexpr std::size_t kInterimBytesMax = 16 * 1024;

}  // namespace

Task<std::optional<std::string_view>> BodyReader::next() {
  for (;;) {
    const auto piece = context_->decode_piece();
    if (!piece) fail(http1::status_for(piece.error()));
    tell_watch();
    if (!piece->empty()) co_return *piece;
    if (context_->body_done()) co_return std::nullopt;
    co_await receive();
  }
}

Task<std::string_view> BodyReader::rest() {
  for (;;) {
    const auto whole = context_->decode_body();
    if (!whole) fail(http1::status_for(whole.error()));
    tell_watch();
    if (*whole) co_return context_->gathered();
    co_await receive();
  }
}

// An error of the connection shows when the response is sent. No interim response may follow the final one.
bool BodyReader::send_interim(const Response& interim) {
  if (context_->has_final() || context_->unsent().size() >= kInterimBytesMax) return false;
  context_->write_interim(interim);
  while (!context_->unsent().empty()) {
    const Result<std::size_t> count = channel_.try_write(context_->unsent());
    if (!count) break;
    context_->add_sent(*count);
  }
  return true;
}

// Reads once even if the deadline has passed: on a busy machine, this task may run only long after the bytes arrived.
Task<> BodyReader::receive() {
  times_.begin_receive();
  if (awaits_continue() || continue_ == Continue::composed) co_await write_continue();
  const TransferTimeout::Wait wait(transfer_timeout_);
  channel_.set_read_deadline_in(transfer_timeout_.left());  // once: an interrupted wait must not extend it
  for (;;) {
    const Result<void> ready = co_await channel_.readable();
    if (server_state_.overload.memory.low()) co_await await_memory();
    const Result<std::size_t> count = channel_.try_read(context_->room());
    if (would_block(count)) {
      if (timed_out(ready)) fail(Status::request_timeout);
      continue;
    }
    if (!count) disconnect();
    if (*count == 0) fail(Status::bad_request);  // RFC 9112 section 8: an incomplete message
    context_->add_received(*count);
    times_.note_read(queued_since());
    times_.end_receive(queued_since());
    transfer_timeout_.add_moved(*count);
    server_state_.overload.memory.charge(*count * kCopiesOfBody + context_->take_reserved_bytes(), coarse_now());
    co_return;
  }
}

Task<> BodyReader::await_memory() {
  transfer_timeout_.pause();
  bool relieved = true;
  while (relieved && server_state_.overload.memory.low()) {
    relieved = co_await server_state_.overload.memory.relief();
  }
  transfer_timeout_.resume();
  if (relieved) co_return;
  server_state_.overload.note(OverloadReason::memory, coarse_now());
  failed_ = true;
  throw unavailable().close();
}

// The producer of a streamed response may read the body as well. The 100 must come before the final response. A call
// that follows a cancelled one sends the rest of the 100.
Task<> BodyReader::write_continue() {
  if (context_->final_begun()) {
    continue_ = Continue::sent;  // its rest, if there is one, is sent with the final response
    co_return;
  }
  const bool composed = context_->has_final();
  const std::string response = composed ? context_->take_final() : std::string();
  Result<void> sent;
  try {
    if (continue_ == Continue::none) context_->write_continue();
    continue_ = Continue::composed;
    sent = co_await send_composed(channel_, *context_, continue_timeout_);
  } catch (...) {  // such as Cancelled; decided: the final response is still sent, after the rest of the 100
    if (composed) context_->put_final_back(response);
    throw;
  }
  if (composed) context_->put_final_back(response);
  if (!sent) disconnect();
  continue_ = Continue::sent;
}

void BodyReader::tell_watch() {
  if (watch_ != nullptr && context_->body_done()) watch_->count_half_close();
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
