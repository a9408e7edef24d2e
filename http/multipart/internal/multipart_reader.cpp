// SPDX-License-Identifier: MIT

#include "http/multipart/internal/multipart_reader.h"

#include <string>
#include <utility>

#include "http/web/problem.h"

namespace volt::http::multipart {
namespace {

constexpr Status status_for(MultipartError error) noexcept {
  switch (error) {  // No default: a new enumerator without a case fails the build by -Wswitch.
    case MultipartError::not_form_data:
      return Status::unsupported_media_type;
    case MultipartError::preamble_too_large:
    case MultipartError::epilogue_too_large:
    case MultipartError::too_many_parts:
    case MultipartError::head_too_large:
    case MultipartError::too_many_fields:
      return Status::content_too_large;
    case MultipartError::bad_boundary:
    case MultipartError::bad_delimiter:
    case MultipartError::bad_field:
    case MultipartError::bad_disposition:
    case MultipartError::unsupported_encoding:
    case MultipartError::incomplete:
      return Status::bad_request;
  }
  std::unreachable();
}

[[noreturn]] void fail(MultipartError error) {
  throw Problem(status_for(error), "multipart form: " + std::string(to_sentence(error)));
}

std::string boundary_of(const Request& request) {
  auto boundary = multipart_boundary(request.header("content-type").value_or(""));
  if (!boundary) fail(boundary.error());
  return *std::move(boundary);
}

}  // namespace

MultipartReader::MultipartReader(Request& request)
    : request_(request), boundary_(boundary_of(request)), parser_(boundary_) {}

void MultipartReader::limit(const MultipartLimits& limits) {
  parser_ = MultipartParser(boundary_, limits);
  if (!limits.body_bytes_max) return;
  body_bytes_max_ = *limits.body_bytes_max;
  request_.limit_body(body_bytes_max_);
}

Task<bool> MultipartReader::next_part() {
  for (;;) {
    const MultipartStep step = co_await advance();
    in_part_ = step.event == MultipartEvent::part_begin;
    if (in_part_) co_return true;
    if (step.event == MultipartEvent::need_more) co_return false;
  }
}

Task<std::optional<std::string_view>> MultipartReader::next_piece() {
  if (!in_part_) co_return std::nullopt;
  const MultipartStep step = co_await advance();
  if (step.event == MultipartEvent::part_data) co_return step.data;
  in_part_ = false;
  co_return std::nullopt;
}

// Returns need_more if the body has ended and is complete.
Task<MultipartStep> MultipartReader::advance() {
  for (;;) {
    const auto step = parser_.feed(bytes_);
    if (!step) fail(step.error());
    bytes_.remove_prefix(step->consumed);
    if (step->event != MultipartEvent::need_more) co_return *step;
    const auto piece = co_await request_.read_body_piece();
    if (!piece) break;
    count(piece->size());
    bytes_ = *piece;
  }
  if (const auto finished = parser_.finish(); !finished) fail(finished.error());
  co_return MultipartStep();
}

// Enforces the limit of the body. The request enforces it only on bytes that it reads after limit() was called, so all
// bytes are counted here too.
void MultipartReader::count(std::size_t bytes) {
  body_bytes_ += bytes;
  if (body_bytes_ > body_bytes_max_) throw Problem(Status::content_too_large);
}

}  // namespace volt::http::multipart
