// SPDX-License-Identifier: MIT

// SpanData: a recorded span, as an exporter gets it. The enumerators have the numbers of OTLP.
//
// Threads: values.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tracing/span_context.h"

namespace volt::tracing {

enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3, producer = 4, consumer = 5 };

enum class SpanStatus : std::uint8_t { unset = 0, ok = 1, error = 2 };

// An attribute, as a program sets it. Text is a view, which must be valid until the call returns. Keys should be those
// of OpenTelemetry's semantic conventions, where there is one.
struct Attribute {
  using Value = std::variant<std::string_view, std::int64_t, double, bool>;

  Attribute(std::string_view name, std::string_view text) noexcept : key(name), value(text) {}
  Attribute(std::string_view name, const char* text) noexcept : key(name), value(std::string_view(text)) {}
  Attribute(std::string_view name, const std::string& text) noexcept : key(name), value(std::string_view(text)) {}
  Attribute(std::string_view name, std::same_as<bool> auto fact) noexcept : key(name), value(fact) {}
  Attribute(std::string_view name, std::floating_point auto number) noexcept
      : key(name), value(static_cast<double>(number)) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Attribute(std::string_view name, T number) noexcept : key(name), value(static_cast<std::int64_t>(number)) {}

  std::string_view key;
  Value value;
};

// A recorded attribute.
struct StoredAttribute {
  using Value = std::variant<std::string, std::int64_t, double, bool>;

  std::string key;
  Value value;
};

using Timestamp = std::chrono::sys_time<std::chrono::nanoseconds>;

struct SpanEvent {
  std::string name;
  Timestamp time;
  std::vector<StoredAttribute> attributes;
};

struct SpanData {
  SpanContext context;
  std::optional<SpanId> parent;   // none for the first span of a trace
  bool parent_is_remote = false;  // the parent is a span of another process
  std::string trace_state;        // tracestate of the W3C; may be empty
  std::string name;
  SpanKind kind = SpanKind::internal;
  Timestamp start;
  Timestamp end;
  SpanStatus status = SpanStatus::unset;
  std::string status_message;  // only with SpanStatus::error
  std::vector<StoredAttribute> attributes;
  std::vector<SpanEvent> events;
  std::uint32_t dropped_attributes = 0;  // beyond TracerOptions::attributes_max
  std::uint32_t dropped_events = 0;      // beyond TracerOptions::events_max
};

}  // namespace volt::tracing
