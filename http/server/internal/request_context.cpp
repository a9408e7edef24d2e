#include "http/server/internal/request_context.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "http/web/problem.h"

namespace volt::http::server {
namespace {

constexpr std::size_t kBufferBytes = 8 * 1024;         // most heads, and a burst of pipelined ones
constexpr std::size_t kRoomBytes = 1024;               // at least: each receive is a system call
constexpr std::size_t kBodyRoomBytes = 4 * 1024;       // the same, behind a pinned head, as more is to come
constexpr std::size_t kPlannedBodyBytes = 64 * 1024;   // of a body, when room is made for the rest ..
constexpr std::size_t kPlannedBytesMax = 1024 * 1024;  // .. or that much of it, or as much again
constexpr std::size_t kPooledBytesMax = 64 * 1024;     // of a buffer that goes back on the pool

}  // namespace

RequestContext::RequestContext(const http1::Limits& limits)
    : decoder_(limits), buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)), capacity_(kBufferBytes) {}

std::span<std::byte> RequestContext::room() {
  if (pinned_) {
    keep_body_view();
    if (cursor_ == end_) end_ = cursor_ = begin_ + decoder_.head_bytes();
    return std::as_writable_bytes(std::span(buffer_.get() + end_, capacity_ - end_));
  }
  if (begin_ == end_) begin_ = cursor_ = end_ = 0;
  if (capacity_ - end_ < kRoomBytes || begin_ >= capacity_ / 2) {
    keep_body_view();
    if (begin_ != 0) move_to_front();
    if (capacity_ - end_ < kRoomBytes) grow();
  }
  return std::as_writable_bytes(std::span(buffer_.get() + end_, capacity_ - end_));
}

void RequestContext::move_to_front() noexcept {
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  cursor_ -= begin_;
  end_ -= begin_;
  begin_ = 0;
}

void RequestContext::pin_head() {
  if (begin_ != 0) {
    keep_body_view();
    move_to_front();
  }
  if (capacity_ - decoder_.head_bytes() < kBodyRoomBytes) {
    keep_body_view();
    grow();
  }
  pinned_ = true;
}

// Only a head that leaves too little room makes it grow, so the limit on heads bounds it.
void RequestContext::grow() {
  auto larger = std::make_unique_for_overwrite<char[]>(capacity_ * 2);
  std::memcpy(larger.get(), buffer_.get(), end_);
  buffer_ = std::move(larger);
  capacity_ *= 2;
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
    // More has to be received: into the place of what has been decoded, if nothing is left of it.
    keep_body_view();
    if (cursor_ == end_) end_ = cursor_ = begin_ + decoder_.head_bytes();
    return false;
  }
}

// An error shows again when the body is read.
void RequestContext::gather_if_whole() {
  const std::optional<std::uint64_t> left = decoder_.body_left_bytes();
  if (!left || *left > end_ - cursor_) return;
  [[maybe_unused]] const auto whole = decode_body();
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

// A malformed body is never done.
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

// A large one whose size is known is not moved any more; nor does a client get much memory for a mere promise.
void RequestContext::gather(std::string_view data) {
  const std::size_t size = body_.size() + data.size();
  if (size > body_.capacity() && size >= kPlannedBodyBytes) {
    const std::uint64_t left = decoder_.body_left_bytes().value_or(0);
    body_.reserve(size + std::min<std::uint64_t>(left, std::max(size, kPlannedBytesMax)));
  }
  body_ += data;
}

Request& RequestContext::open_request(BodySource* source) noexcept {
  return request_.emplace(decoder_.head(received_from(begin_)), gathered(), source);
}

server::ResponseEncoderOptions RequestContext::encoder_options(bool keep_alive, std::string_view date) const noexcept {
  return {.date = date,
          .version = request_->version(),
          .head_only = request_->method() == Method::head,
          .keep_alive = keep_alive};
}

void RequestContext::respond(const Response& response, bool keep_alive, std::string_view date) {
  server::encode_response(response, encoder_options(keep_alive, date), out_);
}

server::BodyFraming RequestContext::body_framing(const Response& response) const noexcept {
  return server::body_framing(response, encoder_options(true, {}));
}

void RequestContext::finish() noexcept {
  request_.reset();
  begin_ = cursor_;
  body_done_ = false;
  pinned_ = false;
  body_view_ = {};
  body_.clear();
  decoder_.reset();
}

void RequestContext::refuse(Status status, std::string_view date) {
  server::encode_response(Problem(status).to_response(),
                          {.date = date, .head_only = decoder_.head_only(), .keep_alive = false}, out_);
}

std::string RequestContext::take_rest() {
  std::string rest(received_from(cursor_));
  cursor_ = end_;
  return rest;
}

std::span<const std::byte> RequestContext::unsent() const noexcept {
  return std::as_bytes(std::span(out_)).subspan(sent_);
}

void RequestContext::add_sent(std::size_t count) noexcept {
  sent_ += count;
  if (sent_ != out_.size()) return;
  out_.clear();
  sent_ = 0;
}

bool RequestContext::recycle() noexcept {
  request_.reset();
  body_done_ = false;
  pinned_ = false;
  begin_ = cursor_ = end_ = sent_ = 0;
  body_view_ = {};
  body_.clear();
  out_.clear();
  if (body_.capacity() > kPooledBytesMax) body_ = {};
  if (out_.capacity() > kPooledBytesMax) out_ = {};
  decoder_.reset();
  return capacity_ <= kPooledBytesMax;
}

}  // namespace volt::http::server
