// SPDX-License-Identifier: MIT

#include "http/server/internal/request_context.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "http/web/problem.h"

namespace volt::http::server {
namespace {

constexpr std::size_t kBufferBytes = 8 * 1024;       // enough for most heads, and for a burst of pipelined requests
constexpr std::size_t kRoomBytesMin = 1024;          // least room to receive a head: less would cost more system calls
constexpr std::size_t kBodyRoomBytesMin = 4 * 1024;  // least room to receive the rest of a body

// When kPlannedBodyBytes of a body of known size have been received, room for the rest is reserved. The reservation is
// limited to kPlannedBytesMax or to the size of the received part, whichever is more.
constexpr std::size_t kPlannedBodyBytes = 64 * 1024;
constexpr std::size_t kPlannedBytesMax = 1024 * 1024;

// The begin of a large body is copied behind the head, so that the two leave in one packet.
constexpr std::size_t kLargeBodyBytes = 64 * 1024;
constexpr std::size_t kCopiedBytes = 16 * 1024;

// Sent bytes that stay in front of those that are not sent yet: a client may never take all that is composed.
constexpr std::size_t kSentBytesMax = 64 * 1024;

constexpr std::size_t kPooledBytesMax = 64 * 1024;  // buffers and strings of a larger capacity are not pooled

// Assigning `{}` would keep the memory: it is an empty initializer list.
void free_memory_of(std::string& text) noexcept { std::string().swap(text); }

}  // namespace

RequestContext::RequestContext(const http1::Limits& limits)
    : decoder_(limits), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)), capacity_(kBufferBytes) {}

std::span<std::byte> RequestContext::room() {
  keep_body_view();
  if (request_) {
    // If all received bytes of the body have been decoded, they are overwritten. The head stays in place.
    if (cursor_ == end_) end_ = cursor_ = begin_ + decoder_.head_bytes();
  } else {
    if (begin_ == end_) begin_ = cursor_ = end_ = 0;
    if (capacity_ - end_ < kRoomBytesMin || begin_ >= capacity_ / 2) move_to_front();
    if (capacity_ - end_ < kRoomBytesMin) grow();
  }
  return std::as_writable_bytes(std::span(buffer_.get() + end_, capacity_ - end_));
}

void RequestContext::move_to_front() noexcept {
  if (begin_ == 0) return;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  cursor_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

// The buffer grows only if a head leaves too little room in it, so the limit on heads bounds its size.
void RequestContext::grow() {
  auto larger = std::make_unique_for_overwrite<char[]>(capacity_ * 2);
  std::memcpy(larger.get(), buffer_.get(), end_);
  buffer_ = std::move(larger);
  capacity_ *= 2;
}

// Makes room between the head and the end of the buffer, unless the whole body has been received. All later bytes of
// the body are received into that room, after the bytes that are there have been decoded.
void RequestContext::make_room_for_body() {
  const std::optional<std::uint64_t> left = decoder_.body_left_bytes();
  if (left && *left <= end_ - cursor_) return;
  if (capacity_ - cursor_ < kBodyRoomBytesMin) move_to_front();
  if (capacity_ - cursor_ < kBodyRoomBytesMin) grow();
}

std::expected<http1::HeadState, http1::ParseError> RequestContext::decode_head() noexcept {
  const auto state = decoder_.decode_head(received_from(begin_));
  if (state && *state == http1::HeadState::complete) cursor_ = begin_ + decoder_.head_bytes();
  return state;
}

std::expected<bool, http1::ParseError> RequestContext::decode_body() {
  for (;;) {
    const auto step = decoder_.decode_body(received_from(cursor_));
    if (!step) return std::unexpected(step.error());
    if (!step->data.empty()) {
      if (body_view_.empty() && body_.empty()) {
        body_view_ = step->data;
      } else {
        keep_body_view();
        gather(step->data);
      }
    }
    cursor_ += step->consumed;
    if (step->done) return body_done_ = true;
    if (step->consumed != 0) continue;
    return false;
  }
}

std::expected<bool, http1::ParseError> RequestContext::gather_body() {
  const auto whole = decode_body();
  if (whole && *whole) request_->set_body(gathered());
  return whole;
}

// Ignores an error: a malformed body is reported when the body is read.
void RequestContext::gather_if_whole() {
  const std::optional<std::uint64_t> left = decoder_.body_left_bytes();
  if (!left || *left > end_ - cursor_) return;
  [[maybe_unused]] const auto whole = gather_body();
}

std::expected<std::string_view, http1::ParseError> RequestContext::decode_piece() {
  while (!body_done()) {
    const auto step = decoder_.decode_body(received_from(cursor_));
    if (!step) return std::unexpected(step.error());
    cursor_ += step->consumed;
    body_done_ = step->done;
    if (!step->data.empty()) return step->data;
    if (step->consumed == 0) break;
  }
  return std::string_view();
}

// Stops at a malformed chunk: body_done() then stays false.
void RequestContext::drop_body() {
  limit_body(std::numeric_limits<std::uint64_t>::max());
  for (bool more = true; more;) {
    const auto piece = decode_piece();
    more = piece && !piece->empty();
  }
}

void RequestContext::keep_body_view() {
  if (body_view_.empty()) return;
  body_ += body_view_;
  body_view_ = {};
}

// Reserves room for the rest of a large body whose size is known, so that the body is not copied as it grows. The
// limits above prevent a client from making the server allocate much memory merely by announcing a size.
void RequestContext::gather(std::string_view data) {
  const std::size_t size = body_.size() + data.size();
  if (size > body_.capacity() && size >= kPlannedBodyBytes) {
    const std::uint64_t left = decoder_.body_left_bytes().value_or(0);
    body_.reserve(size + std::min<std::uint64_t>(left, std::max(size, kPlannedBytesMax)));
    reserved_bytes_ += body_.capacity() - size;
  }
  body_ += data;
}

Request& RequestContext::open_request(BodySource* source) {
  if (decoder_.has_body()) make_room_for_body();
  status_.reset();
  return request_.emplace(decoder_.head(received_from(begin_)), std::string_view(), source);
}

ResponseEncoderOptions RequestContext::encoder_options(bool keep_alive, std::string_view date) const noexcept {
  return {.date = date,
          .version = request_->version(),
          .head_only = request_->method() == Method::head,
          .keep_alive = keep_alive};
}

void RequestContext::respond(Response& response, bool keep_alive, std::string_view date) {
  const ResponseEncoderOptions options = encoder_options(keep_alive, date);
  const std::string_view body = response_body(response, options);
  const std::size_t body_bytes = body.size();
  if (body_bytes < kLargeBodyBytes) [[likely]] {
    encode_response(response, options, out_);
  } else {
    encode_response(response, options, out_, kCopiedBytes);
    large_body_ = response.release_body();
    unsent_body_ = (large_body_.empty() ? body : std::string_view(large_body_)).substr(kCopiedBytes);
  }
  if (reports_end()) note_response(response.status(), body_bytes);
}

void RequestContext::compose_final(Response& response, bool keep_alive, std::string_view date) {
  final_begin_ = out_.size();
  respond(response, keep_alive, date);
  final_ = Final::composed;
}

std::string RequestContext::take_final() {
  std::string composed = out_.substr(final_begin_);
  out_.resize(final_begin_);
  final_ = Final::none;
  return composed;
}

void RequestContext::put_final_back(std::string_view composed) {
  final_begin_ = out_.size();
  out_ += composed;
  final_ = Final::composed;
}

// `body_bytes` are the last of the bytes that have been composed.
void RequestContext::note_response(Status status, std::size_t body_bytes) noexcept {
  status_ = status;
  body_begin_ = sent_bytes_ + unsent_bytes() - body_bytes;
}

void RequestContext::end_exchange(ExchangeOutcome outcome, const RequestPhases& phases) noexcept {
  if (!reports_end()) return;
  ExchangeEnd end{.outcome = outcome, .status = status_};
  if (status_) end.body_bytes = sent_bytes_ > body_begin_ ? sent_bytes_ - body_begin_ : 0;
  end.queued = phases.queue;
  end.receiving = phases.receive;
  end.handling = phases.handler;
  end.sending = phases.send;
  request_->end_exchange(end);
}

BodyFraming RequestContext::body_framing(const Response& response) const noexcept {
  return server::body_framing(response, encoder_options(true, {}));
}

void RequestContext::finish() noexcept {
  request_.reset();
  begin_ = cursor_;
  body_done_ = false;
  final_ = Final::none;
  body_view_ = {};
  body_.clear();
  reserved_bytes_ = 0;
  decoder_.reset();
}

void RequestContext::refuse(Status status, std::string_view date) {
  const Response response = Problem(status).to_response();
  encode_response(response, {.date = date, .head_only = decoder_.head_only(), .keep_alive = false}, out_);
  if (reports_end()) note_response(status, decoder_.head_only() ? 0 : response.body().size());
}

std::string RequestContext::take_rest() {
  std::string rest(received_from(cursor_));
  cursor_ = end_;
  return rest;
}

std::span<const std::byte> RequestContext::unsent() const noexcept {
  if (sent_ == out_.size()) return std::as_bytes(std::span(unsent_body_));
  return std::as_bytes(std::span(out_)).subspan(sent_);
}

void RequestContext::add_sent(std::size_t count) noexcept {
  sent_bytes_ += count;
  if (sent_ == out_.size()) {
    unsent_body_.remove_prefix(count);
    if (unsent_body_.empty()) free_memory_of(large_body_);
    return;
  }
  sent_ += count;
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
  } else if (sent_ >= kSentBytesMax && sent_ >= out_.size() / 2 && final_ == Final::none) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
}

bool RequestContext::recycle() noexcept {
  request_.reset();
  body_done_ = false;
  final_ = Final::none;
  begin_ = cursor_ = end_ = sent_ = 0;
  body_view_ = {};
  body_.clear();
  reserved_bytes_ = 0;
  out_.clear();
  unsent_body_ = {};
  free_memory_of(large_body_);
  sent_bytes_ = 0;
  unsent_responses_.clear();
  if (body_.capacity() > kPooledBytesMax) free_memory_of(body_);
  if (out_.capacity() > kPooledBytesMax) free_memory_of(out_);
  decoder_.reset();
  return capacity_ <= kPooledBytesMax;
}

}  // namespace volt::http::server
