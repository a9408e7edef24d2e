// SPDX-License-Identifier: MIT

#include "http/server/internal/body_reader.h"

#include "http/server/internal/sending.h"
#include "http/web/body_writer.h"
#include "http/web/problem.h"
#include "runtime/result.h"

namespace volt::http::server {

Task<std::optional<std::string_view>> BodyReader::next() {
  for (;;) {
    const auto piece = context_->decode_piece();
    if (!piece) fail(http1::status_for(piece.error()));
    if (!piece->empty()) co_return *piece;
    if (context_->body_done()) co_return std::nullopt;
    auto receiving = receive();
    co_await std::move(receiving);
  }
}

Task<std::string_view> BodyReader::rest() {
  for (;;) {
    const auto whole = context_->decode_body();
    if (!whole) fail(http1::status_for(whole.error()));
    if (*whole) co_return context_->gathered();
    auto receiving = receive();
    co_await std::move(receiving);
  }
}

// Reads once even if the deadline has passed: on a busy machine, this task may run only long after the bytes arrived.
Task<> BodyReader::receive() {
  if (awaits_continue()) {
    auto writing_continue = write_continue();
    co_await std::move(writing_continue);
  }
  transfer_timeout_.resume();
  channel_.set_read_deadline_in(transfer_timeout_.left());  // once: an interrupted wait must not extend it
  for (;;) {
    const Result<void> ready = co_await channel_.readable();
    if (server_state_.overload.memory.low()) {
      auto waiting = await_memory();
      co_await std::move(waiting);
    }
    const Result<std::size_t> count = channel_.try_read(context_->room());
    if (would_block(count)) {
      if (timed_out(ready)) fail(Status::request_timeout);
      continue;
    }
    if (!count) disconnect();
    if (*count == 0) fail(Status::bad_request);  // RFC 9112 section 8: an incomplete message
    context_->add_received(*count);
    transfer_timeout_.add_moved(*count);
    transfer_timeout_.pause();
    server_state_.overload.memory.charge(*count * kCopiesOfBody, coarse_now());
    co_return;
  }
}

Task<> BodyReader::await_memory() {
  transfer_timeout_.pause();
  bool relieved = true;
  while (relieved && server_state_.overload.memory.low()) {
    auto waiting = server_state_.overload.memory.relief();
    relieved = co_await std::move(waiting);
  }
  transfer_timeout_.resume();
  if (relieved) co_return;
  server_state_.overload.note(OverloadReason::memory, coarse_now());
  failed_ = true;
  throw unavailable().close();
}

Task<> BodyReader::write_continue() {
  continue_sent_ = true;
  context_->write_continue();
  auto sending = send_composed(channel_, *context_, transfer_timeout_);
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
