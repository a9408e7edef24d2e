// SPDX-License-Identifier: MIT

// Tracer: decides which traces are recorded, and keeps the recorded spans until an exporter takes them.
//
//   const auto tracer = std::make_shared<tracing::Tracer>(tracing::TracerOptions{.service_name = "shop",
//                                                                               .sampling = {.ratio = 0.01}});
//   app.use(http::trace_requests(tracer));
//   app.background(http::export_traces(tracer, {...}));
//
// Spans that nothing takes fill the queue; then further spans are dropped and counted.
//
// Threads: any. Lifetime: must outlive the spans that it began.
// Memory: at most TracerOptions::queue_max finished spans.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/notify.h"
#include "runtime/per_worker.h"
#include "runtime/task.h"
#include "tracing/span_context.h"
#include "tracing/span_data.h"

namespace volt::tracing {

namespace internal {
class IdSource;
}

// Which traces are recorded. The default is OpenTelemetry's ParentBased(TraceIdRatioBased(1)).
struct Sampling {
  // The part of the traces to record, from 0 to 1. The decision follows from the trace id, so that all services with
  // the same ratio record the same traces.
  double ratio = 1.0;
  // A trace that another service began is recorded if that service records it, whatever the ratio. Set it to false if
  // clients are not trusted: each of them could have all its requests recorded.
  bool parent_based = true;
};

struct TracerOptions {
  std::string service_name = "unknown_service";  // the resource attribute service.name
  Sampling sampling = {};
  std::vector<std::pair<std::string, std::string>> resource =
      {};                             // further resource attributes, such as service.version
  std::size_t queue_max = 2048;       // finished spans that wait for the exporter
  std::size_t attributes_max = 128;   // attributes of a span, and of an event
  std::size_t events_max = 128;       // events of a span
  std::size_t text_bytes_max = 4096;  // bytes of a name, of a text value and of a status message; the rest is cut off
};

// A snapshot of a tracer. The counters begin with the tracer.
struct TracerState {
  std::uint64_t recorded = 0;  // spans that have ended and were recorded
  std::uint64_t exported = 0;  // spans that a collector has accepted
  std::uint64_t dropped = 0;   // spans that were lost: the queue was full, or the collector could not be reached
  std::size_t waiting = 0;     // spans that wait for the exporter
};

class Tracer {
 public:
  // Throws std::invalid_argument if the ratio is not within 0 and 1, or if `queue_max` is 0.
  explicit Tracer(TracerOptions options = {});
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  [[nodiscard]] const TracerOptions& options() const noexcept { return options_; }
  [[nodiscard]] TracerState state() const;

  // The functions from here on are for spans and exporters.
  // Returns the context of a new span: a child of `parent`, or the first one of a new trace if `parent` is null.
  [[nodiscard]] SpanContext begin(const SpanContext* parent);
  // Returns the context of a new child of `parent`, a span of this process.
  [[nodiscard]] SpanContext begin_child(const SpanContext& parent);
  // Puts a finished span into the queue, or drops it.
  void finish(SpanData&& span) noexcept;

  // Returns up to `count_max` spans, the oldest first. An exporter must report what became of them.
  [[nodiscard]] std::vector<SpanData> take(std::size_t count_max);
  void count_exported(std::uint64_t spans) noexcept;
  void count_dropped(std::uint64_t spans) noexcept;
  // Returns when `count` spans wait, and after `limit` at the latest. For one task at a time.
  [[nodiscard]] Task<> wait_for(std::size_t count, std::chrono::nanoseconds limit);

 private:
  struct WorkerIds;

  [[nodiscard]] bool ratio_includes(const TraceId& id) const noexcept;
  [[nodiscard]] internal::IdSource& id_source(std::optional<internal::IdSource>& own);

  const TracerOptions options_;
  const std::uint64_t sampled_below_;  // of 2^63
  PerWorker<WorkerIds> ids_;
  Notify filled_;
  mutable std::mutex mutex_;
  std::deque<SpanData> queue_;                // under mutex_
  std::size_t awaited_ = 0;                   // under mutex_: the count of wait_for(); 0 if no task waits
  std::uint64_t recorded_ = 0;                // under mutex_
  std::uint64_t exported_ = 0, dropped_ = 0;  // under mutex_
};

}  // namespace volt::tracing
