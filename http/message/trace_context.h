// W3C Trace Context: the fields traceparent and tracestate, by which the spans of one trace find each other.
//
// A trace is continued only if traceparent is sound; else a new one begins, and tracestate is ignored (section 4.3).
//
// Threads: values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/headers.h"

namespace volt::http::message {

struct TraceParent {
  std::array<std::byte, 16> trace_id{};
  std::array<std::byte, 8> span_id{};  // parent-id on the wire: the span of whoever sends the field
  bool sampled = false;
  bool random_trace_id = false;  // flag of level 2: the last 7 bytes of trace_id were drawn at random

  // Of version 00 and, as far as they agree with it, of those to come (section 3.2.2). Lower-case only, no id of zeros.
  static std::optional<TraceParent> parse(std::string_view text) noexcept;

  // A new trace, and its first span.
  static TraceParent start(bool sampled) noexcept;
  // The same trace, another span: what goes out with our own requests, and what the log says of this one.
  TraceParent child() const noexcept;

  // Version 00, 55 bytes.
  std::string to_string() const;
  std::string trace_id_text() const;
  std::string span_id_text() const;

  bool operator==(const TraceParent&) const = default;
};

struct TraceContext {
  TraceParent parent;
  std::string state;  // tracestate to pass on, its members joined by "," without white space; perhaps empty
};

// Of a request. Nothing if there is no traceparent, several, or an unsound one.
std::optional<TraceContext> trace_context(const Fields& fields);

// The members of a tracestate value, joined by "," without white space and empty ones. Nothing if one is malformed, a
// key stands twice, or there are more than 32: then all of it is dropped (section 3.3.1).
std::optional<std::string> parse_tracestate(std::string_view value);

}  // namespace volt::http::message
