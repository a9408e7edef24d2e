// SPDX-License-Identifier: MIT

#include "http/server/internal/request_log.h"

#include <array>
#include <cstddef>

namespace volt::http::server {
namespace {

using TraceIdText = std::array<char, 2 * std::tuple_size_v<Request::TraceId>>;

TraceIdText digits_of(const Request::TraceId& trace_id) noexcept {
  constexpr std::string_view kHex = "0123456789abcdef";
  TraceIdText text;
  std::size_t size = 0;
  for (const std::byte byte : trace_id) {
    text[size++] = kHex[std::to_integer<std::size_t>(byte >> 4)];
    text[size++] = kHex[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

void add(LogContext::Fields& fields, std::string_view id, Method method, std::string_view pattern,
         const Request::TraceId& trace_id) noexcept {
  if (!id.empty()) fields.add("request_id", id);
  fields.add("method", to_string(method));
  if (!pattern.empty()) fields.add("pattern", pattern);
  if (trace_id == Request::TraceId{}) return;
  const TraceIdText text = digits_of(trace_id);
  fields.add("trace_id", std::string_view(text.data(), text.size()));
}

}  // namespace

std::string trace_id_text(const Request::TraceId& trace_id) {
  if (trace_id == Request::TraceId{}) return {};
  const TraceIdText text = digits_of(trace_id);
  return std::string(text.data(), text.size());
}

void add_request_fields(const Request& request, LogContext::Fields& fields) noexcept {
  add(fields, request.id(), request.method(), request.pattern(), request.trace_id());
}

UpgradedRequestLog::UpgradedRequestLog(Request& request) noexcept
    : pattern_(request.pattern()), id_(request.release_id()), trace_id_(request.trace_id()), method_(request.method()) {
  set_log_context(this);
}

void UpgradedRequestLog::add_fields(Fields& fields) const noexcept { add(fields, id_, method_, pattern_, trace_id_); }

}  // namespace volt::http::server
