// SPDX-License-Identifier: MIT

// OpenSpan: a span while it is recorded. Spans that are not sampled have none.
//
// Threads: any; tasks that run concurrently may set attributes of the span that they have in common.
// Lifetime: the destructor ends the span. The tracer must outlive it.
// Errors: none. Data beyond the bounds of TracerOptions, or for which there is no memory, is dropped and counted.
#pragma once

#include <chrono>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string_view>

#include "tracing/span_data.h"
#include "tracing/tracer.h"

namespace volt::tracing {

class OpenSpan {
 public:
  // Begins now. Throws std::bad_alloc.
  OpenSpan(Tracer& tracer, const SpanContext& context, std::string_view name, SpanKind kind);
  ~OpenSpan() { end(); }
  OpenSpan(const OpenSpan&) = delete;
  OpenSpan& operator=(const OpenSpan&) = delete;

  // Must be called by the creator, before another task knows the span.
  void set_parent(const SpanId& parent, bool is_remote) noexcept;
  void set_trace_state(std::string_view state);

  void rename(std::string_view name) noexcept;
  // Replaces an earlier value of this key.
  void set(const Attribute& attribute) noexcept;
  void add_event(std::string_view name, std::span<const Attribute> attributes) noexcept;
  void set_status(SpanStatus status, std::string_view message) noexcept;
  // Sets the status `error`, unless a status was set before.
  void set_exception_status() noexcept;

  // Ends the span now and hands it to the tracer. Later calls of any function do nothing.
  void end() noexcept;

 private:
  void set_status_locked(SpanStatus status, std::string_view message) noexcept;
  [[nodiscard]] std::string_view cut(std::string_view text) const noexcept;
  [[nodiscard]] StoredAttribute stored(const Attribute& attribute) const;

  Tracer& tracer_;
  const std::chrono::steady_clock::time_point start_;  // the wall clock may be set during the span
  std::mutex mutex_;
  SpanData data_;       // under mutex_
  bool ended_ = false;  // under mutex_
};

}  // namespace volt::tracing
