// SPDX-License-Identifier: MIT

#include "http/tracing/internal/otlp_json.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "http/json/append.h"

namespace volt::http::otlp {
namespace {

using tracing::SpanData;
using tracing::StoredAttribute;

// Flags of a span: the byte of traceparent, and two bits that say whether the parent is remote.
constexpr std::uint32_t kSampled = 0x1;
constexpr std::uint32_t kRandomTraceId = 0x2;
constexpr std::uint32_t kKnowsIsRemote = 0x100;
constexpr std::uint32_t kIsRemote = 0x200;

void append_member(std::string_view name, std::string& out) {
  if (out.back() != '{') out += ',';
  json::append_string(name, out);
  out += ':';
}

void append_text(std::string_view name, std::string_view value, std::string& out) {
  append_member(name, out);
  json::append_string(value, out);
}

void append_number(std::string_view name, std::uint64_t value, std::string& out) {
  append_member(name, out);
  json::append_integer(value, out);
}

// A nonzero count. A member that is left out stands for zero.
void append_count(std::string_view name, std::uint64_t value, std::string& out) {
  if (value != 0) append_number(name, value, out);
}

// Numbers of 64 bits are strings, because JavaScript cannot hold them.
template <std::integral Integer>
void append_long(std::string_view name, Integer value, std::string& out) {
  append_member(name, out);
  out += '"';
  json::append_integer(value, out);
  out += '"';
}

void append_time(std::string_view name, tracing::Timestamp time, std::string& out) {
  append_long(name, static_cast<std::uint64_t>(time.time_since_epoch().count()), out);
}

void append_id(std::string_view name, std::span<const std::byte> id, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  append_member(name, out);
  out += '"';
  for (const std::byte byte : id) {
    out += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    out += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  out += '"';
}

void append_value(const std::string& value, std::string& out) { append_text("stringValue", value, out); }
void append_value(std::int64_t value, std::string& out) { append_long("intValue", value, out); }
void append_value(bool value, std::string& out) {
  append_member("boolValue", out);
  out += value ? "true" : "false";
}
// The mapping of protobuf has texts for the numbers that JSON lacks.
void append_value(double value, std::string& out) {
  append_member("doubleValue", out);
  if (value != value) {
    out += "\"NaN\"";
  } else if (value - value != 0) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    json::append_number(value, out);
  }
}

template <class Value>
void append_attribute(std::string_view key, const Value& value, std::string& out) {
  if (out.back() != '[') out += ',';
  out += '{';
  append_text("key", key, out);
  append_member("value", out);
  out += '{';
  append_value(value, out);
  out += "}}";
}

void append_attributes(std::span<const StoredAttribute> attributes, std::string& out) {
  if (attributes.empty()) return;
  append_member("attributes", out);
  out += '[';
  for (const StoredAttribute& attribute : attributes) {
    std::visit([&](const auto& value) { append_attribute(attribute.key, value, out); }, attribute.value);
  }
  out += ']';
}

void append_events(const SpanData& span, std::string& out) {
  if (span.events.empty()) return;
  append_member("events", out);
  out += '[';
  for (const tracing::SpanEvent& event : span.events) {
    if (out.back() != '[') out += ',';
    out += '{';
    append_time("timeUnixNano", event.time, out);
    append_text("name", event.name, out);
    append_attributes(event.attributes, out);
    out += '}';
  }
  out += ']';
}

void append_status(const SpanData& span, std::string& out) {
  append_member("status", out);
  out += '{';
  append_count("code", static_cast<std::uint64_t>(span.status), out);
  if (!span.status_message.empty()) append_text("message", span.status_message, out);
  out += '}';
}

std::uint32_t flags_of(const SpanData& span) noexcept {
  return (span.context.sampled ? kSampled : 0) | (span.context.random_trace_id ? kRandomTraceId : 0) | kKnowsIsRemote |
         (span.parent_is_remote ? kIsRemote : 0);
}

void append_span(const SpanData& span, std::string& out) {
  out += '{';
  append_id("traceId", span.context.trace_id, out);
  append_id("spanId", span.context.span_id, out);
  if (!span.trace_state.empty()) append_text("traceState", span.trace_state, out);
  if (span.parent) append_id("parentSpanId", *span.parent, out);
  append_number("flags", flags_of(span), out);
  append_text("name", span.name, out);
  append_number("kind", static_cast<std::uint64_t>(span.kind), out);
  append_time("startTimeUnixNano", span.start, out);
  append_time("endTimeUnixNano", span.end, out);
  append_attributes(span.attributes, out);
  append_count("droppedAttributesCount", span.dropped_attributes, out);
  append_events(span, out);
  append_count("droppedEventsCount", span.dropped_events, out);
  append_status(span, out);
  out += '}';
}

}  // namespace

OtlpJson::OtlpJson(const tracing::TracerOptions& options) {
  text_ = R"({"resourceSpans":[{"resource":{"attributes":[)";
  append_attribute("service.name", options.service_name, text_);
  append_attribute("telemetry.sdk.name", std::string("volt"), text_);
  append_attribute("telemetry.sdk.language", std::string("cpp"), text_);
  append_attribute("telemetry.sdk.version", std::string(VOLT_VERSION), text_);
  for (const auto& [key, value] : options.resource) append_attribute(key, value, text_);
  text_ += R"(]},"scopeSpans":[{"scope":{"name":"volt","version":)";
  json::append_string(VOLT_VERSION, text_);
  text_ += R"(},"spans":[)";
}

void OtlpJson::add(const SpanData& span) {
  if (!std::exchange(is_first_, false)) text_ += ',';
  append_span(span, text_);
}

std::string OtlpJson::take() && {
  text_ += "]}]}]}";
  return std::move(text_);
}

}  // namespace volt::http::otlp
