// SPDX-License-Identifier: MIT

// W3C Trace Context: the fields traceparent and tracestate, which link the spans of one trace.
//
// A trace is continued only if traceparent is valid; else a new trace begins, and tracestate is ignored (section 4.3).
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
  std::array<std::byte, 8> span_id{};  // parent-id on the wire: the span of the sender
  bool sampled = false;
  bool random_trace_id = false;  // flag of level 2: the last 7 bytes of trace_id were drawn at random

  // Parses version 00 and, as far as they are compatible with it, later versions (section 3.2.2). Returns nullopt for
  // upper-case digits, for an id of zeros, and for malformed text.
  static std::optional<TraceParent> parse(std::string_view text) noexcept;

  // Starts a new trace with its first span.
  static TraceParent start(bool sampled) noexcept;
  // Returns a new span of this trace. It is used for outgoing requests, and as the span of the served request in the
  // log.
  TraceParent child() const noexcept;

  // Returns the value of traceparent: version 00, 55 bytes.
  std::string to_string() const;
  std::string trace_id_text() const;
  std::string span_id_text() const;

  bool operator==(const TraceParent&) const = default;
};

struct TraceContext {
  TraceParent parent;
  std::string state;  // tracestate to forward, its members joined by "," without white space; may be empty
};

// Returns the trace context of a request. Returns nullopt if traceparent is missing, repeated, or malformed.
std::optional<TraceContext> trace_context(const Fields& fields);

// Returns the members of a tracestate value, joined by "," without white space and without empty members. Returns
// nullopt if a member is malformed, if a key occurs twice, or if there are more than 32 members. In these cases the
// whole value is dropped (section 3.3.1).
std::optional<std::string> parse_tracestate(std::string_view value);

}  // namespace volt::http::message
