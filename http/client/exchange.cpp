#include "http/client/exchange.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/client/request_encoder.h"
#include "http/codec/response_encoder.h"
#include "runtime/per_worker.h"

namespace volt::http::client {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;    // at a time
constexpr std::size_t kGatherBytes = 16 * 1024;  // a body of up to so many shares its head's packets

std::unexpected<std::error_code> failure(codec::ResponseError error) {
  switch (error) {
    case codec::ResponseError::head_too_large:
    case codec::ResponseError::too_many_fields:
    case codec::ResponseError::too_many_interim:
    case codec::ResponseError::body_too_large:
      return std::unexpected(make_error_code(ClientError::too_large));
    case codec::ResponseError::cut_off:
      return std::unexpected(make_error_code(ClientError::truncated));
    case codec::ResponseError::bad_status_line:
    case codec::ResponseError::unsupported_version:
    case codec::ResponseError::bad_field:
    case codec::ResponseError::bad_length:
    case codec::ResponseError::bad_transfer_coding:
    case codec::ResponseError::unsupported_transfer_coding:
    case codec::ResponseError::conflicting_framing:
    case codec::ResponseError::bad_chunk:
    case codec::ResponseError::bad_trailer:
      return std::unexpected(make_error_code(ClientError::malformed));
  }
  std::unreachable();
}

codec::ResponseLimits limits_of(const ClientOptions& options) {
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

Task<Result<void>> Exchange::ask(ClientRequest& request, const Uri& uri) {
  decoder_.begin(request.method_);
  auto sending = send(request, uri);
  const Result<void> sent = co_await std::move(sending);
  if (!sent) {  // a server that refuses may have said so before it closed
    const Result<bool> early = answered_early();
    if (!early.value_or(false)) co_return sent;
  }
  auto reading = read_head();
  const Result<void> read = co_await std::move(reading);
  co_return read;
}

Task<Result<void>> Exchange::send(ClientRequest& request, const Uri& uri) {
  const std::optional<std::uint64_t> size =
      request.stream_ ? request.stream_->size() : std::optional<std::uint64_t>(request.body_.size());
  std::string out = encode_head(request.method_, uri, request.fields_, size);
  const bool gathered = request.body_.size() <= kGatherBytes;
  if (gathered) out += request.body_;
  auto writing = connection_->write_all(out, limit(options_->transfer_timeout));
  Result<void> sent = co_await std::move(writing);
  if (sent && !gathered) {
    auto writing_body = connection_->write_all(request.body_, limit(options_->transfer_timeout));
    sent = co_await std::move(writing_body);
  }
  if (!sent || !request.stream_) {
    sent_whole_ = sent.has_value();
    co_return sent;
  }
  auto streaming = send_stream(*request.stream_);
  co_return co_await std::move(streaming);
}

// An answer that comes before the body's end is all there is to know: the rest stays unsent.
Task<Result<void>> Exchange::send_stream(ClientBody& body) {
  const std::optional<std::uint64_t> size = body.size();
  std::uint64_t left_bytes = size.value_or(0);
  std::string out;
  for (bool more = true; more;) {
    auto asking = body.next();
    const std::optional<std::string_view> piece = co_await std::move(asking);
    more = piece.has_value();
    out.clear();
    if (piece && size) {
      if (piece->size() > left_bytes) throw std::length_error("a body is longer than it was said to be");
      left_bytes -= piece->size();
      out = *piece;
    } else if (piece) {
      codec::append_chunk(*piece, out);
    } else if (!size) {
      codec::append_last_chunk({}, out);
    } else if (left_bytes != 0) {
      throw std::length_error("a body is shorter than it was said to be");
    }
    auto writing = connection_->write_all(out, limit(options_->transfer_timeout));
    const Result<void> sent = co_await std::move(writing);
    if (!sent) co_return sent;
    const Result<bool> early = answered_early();
    if (!early) co_return std::unexpected(early.error());
    if (*early && more) co_return Result<void>{};
  }
  sent_whole_ = true;
  co_return Result<void>{};
}

// Whether the answer's head is there, as far as can be told without waiting.
Result<bool> Exchange::answered_early() {
  while (!has_head_) {
    const std::size_t before = received_.size();
    received_.resize(before + kReadBytes);
    const Result<std::size_t> count = connection_->try_read(std::span(received_).subspan(before));
    received_.resize(before + count.value_or(0));
    if (!count && count.error() == std::errc::operation_would_block) return false;
    if (!count) return std::unexpected(count.error());
    if (*count == 0) return failure(codec::ResponseError::cut_off);
    if (const Result<bool> decoded = decode_head(); !decoded) return decoded;
  }
  return true;
}

Task<Result<void>> Exchange::read_head() {
  const std::chrono::nanoseconds answer_by = coarse_now() + limit(options_->answer_timeout);
  while (!has_head_) {
    const std::size_t before = received_.size();
    received_.resize(before + kReadBytes);
    const auto left = std::max(answer_by - coarse_now(), std::chrono::nanoseconds(0));
    auto reading = connection_->read(std::span(received_).subspan(before), left);
    const Result<std::size_t> count = co_await std::move(reading);
    received_.resize(before + count.value_or(0));
    if (!count) co_return std::unexpected(count.error());
    if (*count == 0) co_return failure(codec::ResponseError::cut_off);
    const Result<bool> decoded = decode_head();
    if (!decoded) co_return std::unexpected(decoded.error());
  }
  const auto step = decoder_.decode_body({});  // done at once, if there is no body
  if (!step) co_return failure(step.error());
  if (step->done) end_answer();
  co_return Result<void>{};
}

// Takes the heads that have come whole; true once the final one has.
Result<bool> Exchange::decode_head() {
  for (;;) {
    const auto state = decoder_.decode_head(received_);
    if (!state) return failure(state.error());
    if (*state == codec::HeadState::need_more) return false;
    const std::size_t bytes = decoder_.head_bytes();
    if (!decoder_.interim()) break;
    decoder_.next_head();
    received_.erase(0, bytes);
  }
  if (decoder_.head(received_).status == Status::switching_protocols) {
    return std::unexpected(make_error_code(ClientError::upgraded));
  }
  head_ = received_.substr(0, decoder_.head_bytes());
  unread_ = std::string_view(received_).substr(head_.size());
  has_head_ = true;
  return true;
}

Task<Result<std::optional<std::string_view>>> Exchange::next() {
  while (!done_) {
    if (unread_.empty()) {
      auto receiving = receive_body();
      const Result<void> received = co_await std::move(receiving);
      if (!received) {
        connection_.reset();
        co_return std::unexpected(received.error());
      }
      continue;
    }
    const auto step = decoder_.decode_body(unread_);
    if (!step) {
      connection_.reset();
      co_return failure(step.error());
    }
    unread_.remove_prefix(step->consumed);
    if (step->done) end_answer();
    if (!step->data.empty()) co_return std::optional<std::string_view>(step->data);
  }
  co_return std::optional<std::string_view>();
}

// More of the body, or its end where that is the connection's.
Task<Result<void>> Exchange::receive_body() {
  if (!connection_) co_return failure(codec::ResponseError::cut_off);  // it has failed before
  received_.resize(kReadBytes);
  auto reading = connection_->read(received_, limit(options_->transfer_timeout));
  const Result<std::size_t> count = co_await std::move(reading);
  if (!count) co_return std::unexpected(count.error());
  unread_ = std::string_view(received_).substr(0, *count);
  if (*count != 0) co_return Result<void>{};
  const auto ended = decoder_.end();
  if (!ended) co_return failure(ended.error());
  end_answer();
  co_return Result<void>{};
}

// Bytes behind the answer are nobody's answer: the connection is not to be trusted with another request.
void Exchange::end_answer() {
  done_ = true;
  if (sent_whole_ && decoder_.keep_alive() && unread_.empty()) pool_->give_back(std::move(connection_));
  connection_.reset();
}

}  // namespace volt::http::client
