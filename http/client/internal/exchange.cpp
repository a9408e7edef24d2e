// SPDX-License-Identifier: MIT

#include "http/client/internal/exchange.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include "http/client/client_stream.h"
#include "http/client/internal/request_encoder.h"
#include "http/http1/chunk_encoder.h"
#include "http/message/ascii.h"
#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/deadline.h"
#include "runtime/per_worker.h"

namespace volt::http::client {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;    // read per call
constexpr std::size_t kGatherBytes = 16 * 1024;  // a body up to this size is sent together with the head

std::unexpected<std::error_code> failure(http1::ResponseError error) {
  switch (error) {
    case http1::ResponseError::head_too_large:
    case http1::ResponseError::too_many_fields:
    case http1::ResponseError::too_many_interim:
    case http1::ResponseError::body_too_large:
      return std::unexpected(make_error_code(ClientError::too_large));
    case http1::ResponseError::cut_off:
      return std::unexpected(make_error_code(ClientError::truncated));
    case http1::ResponseError::bad_status_line:
    case http1::ResponseError::unsupported_version:
    case http1::ResponseError::bad_field:
    case http1::ResponseError::bad_length:
    case http1::ResponseError::bad_transfer_coding:
    case http1::ResponseError::unsupported_transfer_coding:
    case http1::ResponseError::conflicting_framing:
    case http1::ResponseError::bad_chunk:
    case http1::ResponseError::bad_trailer:
      return std::unexpected(make_error_code(ClientError::malformed));
  }
  std::unreachable();
}

http1::ResponseLimits limits_of(const ClientOptions& options) {
  return {.head_bytes_max = options.head_bytes_max, .body_bytes_max = options.body_bytes_max};
}

}  // namespace

Exchange::Exchange(std::shared_ptr<const ClientOptions> options, std::shared_ptr<Pool> pool,
                   std::unique_ptr<Connection> connection, std::chrono::nanoseconds ends_at)
    : options_(std::move(options)),
      pool_(std::move(pool)),
      connection_(std::move(connection)),
      ends_at_(ends_at),
      decoder_(limits_of(*options_)) {}

std::chrono::nanoseconds Exchange::limit(std::chrono::nanoseconds wait) const noexcept {
  if (ends_at_ == std::chrono::nanoseconds::max()) return wait;
  return std::clamp(ends_at_ - coarse_now(), std::chrono::nanoseconds(0), wait);
}

Task<Result<void>> Exchange::round_trip(ClientRequest& request, const FieldList& fields, const Uri& uri) {
  decoder_.begin(request.method_);
  const Result<void> sent = co_await send(request, fields, uri);
  if (!sent) {  // the server may have sent an error response before it closed
    drop_body();
    const Result<bool> early = responded_early();
    if (!early.value_or(false)) co_return sent;
  }
  co_return co_await read_head();
}

Task<Result<void>> Exchange::send(ClientRequest& request, const FieldList& fields, const Uri& uri) {
  requested_upgrade_ = request.upgrade_;
  on_interim_ = request.on_interim_;                        // a copy: the request may be sent once more
  if (request.stream_) body_ = std::move(request.stream_);  // a request that is sent twice at once stays unchanged
  const std::optional<std::uint64_t> size = body_ ? body_->size() : request.body_.size();
  std::string out = encode_head(request.method_, uri, fields, size, request.upgrade_);
  const bool gathered = request.body_.size() <= kGatherBytes;
  if (gathered) out += request.body_;
  std::span<const std::byte> left = std::as_bytes(std::span(out));
  Result<void> sent = co_await connection_->write_with_limit(left, limit(options_->transfer_timeout));
  if (sent && !gathered) {
    left = std::as_bytes(std::span(request.body_));
    sent = co_await connection_->write_with_limit(left, limit(options_->transfer_timeout));
  }
  if (!sent) co_return sent;
  sent_whole_ = body_ == nullptr;
  body_left_ = size;
  co_return co_await send_until_answered();
}

// If an error or a redirect arrives before the whole body has been sent, the rest of the body is not sent (RFC 9112
// section 9.3). For any other response, the server may need the rest of the body.
Task<Result<void>> Exchange::send_until_answered() {
  while (body_ && !has_head_) {
    const Result<void> sent = co_await send_until_readable();
    if (!sent) co_return sent;
    const Result<bool> early = responded_early();
    if (!early) co_return std::unexpected(early.error());
    if (*early && code(head().status) >= 300) drop_body();
  }
  co_return Result<void>{};
}

// Returns when the whole body has been sent, when bytes may have been received, or with an error. Unless there was an
// error, the caller must then try to read, because this wait may have consumed the connection's readiness, which is not
// reported a second time.
Task<Result<void>> Exchange::send_until_readable() {
  const std::chrono::nanoseconds whole = limit(std::chrono::nanoseconds::max());
  const std::variant<Result<void>, Result<void>> first =
      co_await race([this] { return send_body(); }, [this, whole] { return connection_->await_readable(whole); });
  if (body_failure_) std::rethrow_exception(body_failure_);
  co_return std::visit([](const Result<void>& result) { return result; }, first);
}

Task<Result<void>> Exchange::send_body() {
  for (;;) {
    const Result<void> sent = co_await connection_->write_with_limit(unsent_, limit(options_->transfer_timeout));
    if (!sent) co_return sent;
    if (composed_end_) break;
    co_await compose_piece();
  }
  sent_whole_ = true;
  drop_body();
  co_return Result<void>{};
}

Task<> Exchange::compose_piece() {
  std::optional<std::string_view> piece;
  try {
    piece = co_await body_->next();
    if (piece && piece->size() > body_left_.value_or(piece->size())) {
      throw std::length_error("the request body is longer than announced");
    }
    if (!piece && body_left_.value_or(0) != 0) throw std::length_error("the request body is shorter than announced");
  } catch (const Cancelled&) {
    throw;
  } catch (...) {  // decided: the caller rethrows it, whichever branch of its race ended first
    body_failure_ = std::current_exception();
    throw;
  }
  out_.clear();
  composed_end_ = !piece;
  if (piece && body_left_) {
    *body_left_ -= piece->size();
    out_ = *piece;
  } else if (piece) {
    http1::append_chunk(*piece, out_);
  } else if (!body_left_) {
    http1::append_last_chunk(body_->trailers().lines(), out_);
  }
  unsent_ = std::as_bytes(std::span(out_));
}

void Exchange::drop_body() noexcept {
  body_.reset();
  unsent_ = {};
}

// Returns whether the response's head is complete, without waiting.
Result<bool> Exchange::responded_early() {
  while (!has_head_) {
    const std::size_t before = received_.size();
    received_.resize(before + kReadBytes);
    const auto room = std::as_writable_bytes(std::span(received_)).subspan(before);
    const Result<std::size_t> count = connection_->try_read(room);
    received_.resize(before + count.value_or(0));
    if (would_block(count)) return false;
    if (!count) return std::unexpected(count.error());
    if (*count == 0) return failure(http1::ResponseError::cut_off);
    if (const Result<bool> decoded = decode_head(); !decoded) return decoded;
  }
  return true;
}

Task<Result<void>> Exchange::read_head() {
  const Deadline response_by = Deadline::after(limit(options_->response_timeout));
  while (!has_head_) {
    const std::size_t before = received_.size();
    received_.resize(before + kReadBytes);
    connection_->set_read_deadline_in(response_by.left());
    const Result<std::size_t> count =
        co_await connection_->read(std::as_writable_bytes(std::span(received_)).subspan(before));
    received_.resize(before + count.value_or(0));
    if (!count) co_return std::unexpected(count.error());
    if (*count == 0) co_return failure(http1::ResponseError::cut_off);
    const Result<bool> decoded = decode_head();
    if (!decoded) co_return std::unexpected(decoded.error());
  }
  if (upgraded()) {
    done_ = true;
    co_return Result<void>{};
  }
  const auto step = decoder_.decode_body({});  // done at once if there is no body
  if (!step) co_return failure(step.error());
  if (step->done) end_response();
  co_return Result<void>{};
}

// Decodes the heads that have been received completely, including interim ones. Returns true once the final head has
// been decoded.
Result<bool> Exchange::decode_head() {
  for (;;) {
    const auto state = decoder_.decode_head(received_);
    if (!state) return failure(state.error());
    if (*state == http1::HeadState::need_more) return false;
    const std::size_t bytes = decoder_.head_bytes();
    if (!decoder_.interim()) break;
    if (on_interim_) {
      const http1::ResponseHead head = decoder_.head(received_);
      on_interim_(head.status, head.fields);
    }
    decoder_.next_head();
    received_.erase(0, bytes);
  }
  const http1::ResponseHead head = decoder_.head(received_);
  if (head.status == Status::switching_protocols) {  // to a protocol of the request's only (RFC 9110 section 7.8)
    const std::string_view protocol = head.fields.find("Upgrade").value_or("");
    const bool requested = !requested_upgrade_.empty() && message::equal_ignoring_case(protocol, requested_upgrade_);
    if (!requested) return std::unexpected(make_error_code(ClientError::upgraded));
  }
  head_ = received_.substr(0, decoder_.head_bytes());
  unread_ = std::string_view(received_).substr(head_.size());
  has_head_ = true;
  return true;
}

Result<std::optional<std::string_view>> Exchange::try_next() {
  while (!done_ && !unread_.empty()) {
    const auto step = decoder_.decode_body(unread_);
    if (!step) {
      connection_.reset();
      return failure(step.error());
    }
    unread_.remove_prefix(step->consumed);
    if (step->done) end_response();
    if (!step->data.empty()) return std::optional<std::string_view>(step->data);
  }
  if (!done_) return error(std::errc::operation_would_block);
  if (!connection_) free_received();  // otherwise the connection was upgraded, and take_stream() needs the bytes
  return std::optional<std::string_view>();
}

Task<Result<std::optional<std::string_view>>> Exchange::next() {
  for (;;) {
    const Result<std::optional<std::string_view>> piece = try_next();
    if (!would_block(piece)) co_return piece;
    const Result<void> received = co_await receive_body();
    if (received) continue;
    connection_.reset();
    co_return std::unexpected(received.error());
  }
}

bool Exchange::upgraded() const noexcept { return head().status == Status::switching_protocols; }

std::unique_ptr<ClientStream> Exchange::take_stream() {
  if (!upgraded() || !connection_) return nullptr;
  auto stream = std::make_unique<ClientStream>(std::move(connection_), std::string(unread_));
  free_received();
  return stream;
}

// Receives more of the body. The end of the connection is the end of a body that has neither a length nor chunks.
Task<Result<void>> Exchange::receive_body() {
  if (!connection_) co_return failure(http1::ResponseError::cut_off);  // an earlier call has failed
  received_.resize(kReadBytes);
  Result<std::size_t> count = error(std::errc::operation_would_block);
  while (body_ && would_block(count)) {
    if (!co_await send_until_readable()) drop_body();  // the server may have sent its whole response before it closed
    count = connection_->try_read(std::as_writable_bytes(std::span(received_)));
  }
  if (would_block(count)) {
    connection_->set_read_deadline_in(limit(options_->transfer_timeout));
    count = co_await connection_->read(std::as_writable_bytes(std::span(received_)));
  }
  if (!count) co_return std::unexpected(count.error());
  unread_ = std::string_view(received_).substr(0, *count);
  if (*count != 0) co_return Result<void>{};
  const auto ended = decoder_.end();
  if (!ended) co_return failure(ended.error());
  end_response();
  co_return Result<void>{};
}

void Exchange::free_received() noexcept {
  unread_ = {};
  std::string().swap(received_);
}

// Returns the connection to the pool if another request can use it. Unexpected bytes after the response make that
// unsafe.
void Exchange::end_response() {
  done_ = true;
  drop_body();
  if (sent_whole_ && decoder_.keep_alive() && unread_.empty()) pool_->give_back(std::move(connection_));
  connection_.reset();
  place_ = {};
}

}  // namespace volt::http::client
