// SPDX-License-Identifier: MIT

#include "tracing/tracer.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>

#include "runtime/select.h"
#include "runtime/time.h"
#include "runtime/worker_identity.h"
#include "tracing/internal/id_source.h"

namespace volt::tracing {
namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 63;

std::uint64_t bound_of(double ratio) {
  if (!(ratio >= 0 && ratio <= 1)) throw std::invalid_argument("the sampling ratio of traces must be from 0 to 1");
  return static_cast<std::uint64_t>(ratio * static_cast<double>(kAll));
}

}  // namespace

struct Tracer::WorkerIds {
  explicit WorkerIds(const void* used_by) noexcept : runtime(used_by) {}
  const void* const runtime;
  internal::IdSource source;
};

Tracer::Tracer(TracerOptions options)
    : options_(std::move(options)), sampled_below_(bound_of(options_.sampling.ratio)) {
  if (options_.queue_max == 0) throw std::invalid_argument("the queue of a tracer must hold at least one span");
}

Tracer::~Tracer() = default;

// The other implementations of OpenTelemetry decide by these 63 bits, too.
bool Tracer::ratio_includes(const TraceId& id) const noexcept {
  std::uint64_t low = 0;
  for (std::size_t i = 8; i != id.size(); ++i) low = low << 8 | std::to_integer<std::uint64_t>(id[i]);
  return low >> 1 < sampled_below_;
}

SpanContext Tracer::begin(const SpanContext* parent) {
  std::optional<internal::IdSource> own;
  internal::IdSource& ids = id_source(own);
  SpanContext context = parent != nullptr ? *parent : SpanContext{.random_trace_id = true};
  if (parent == nullptr) context.trace_id = ids.next_trace_id();
  context.span_id = ids.next_span_id();
  if (parent == nullptr || !options_.sampling.parent_based) context.sampled = ratio_includes(context.trace_id);
  return context;
}

SpanContext Tracer::begin_child(const SpanContext& parent) {
  SpanContext context = parent;
  std::optional<internal::IdSource> own;
  context.span_id = id_source(own).next_span_id();
  return context;
}

// Returns the source of the calling worker, or makes `own` outside the workers. The first runtime that uses the tracer
// has a source for each worker; workers of others with the same number must not use it at the same time.
internal::IdSource& Tracer::id_source(std::optional<internal::IdSource>& own) {
  const WorkerIdentity worker = worker_identity();
  if (worker.runtime == nullptr) return own.emplace();
  WorkerIds& ids = ids_.local(worker.runtime);
  return ids.runtime == worker.runtime ? ids.source : own.emplace();
}

void Tracer::finish(SpanData&& span) noexcept {
  const std::scoped_lock lock(mutex_);
  ++recorded_;
  if (queue_.size() >= options_.queue_max) {
    ++dropped_;
    return;
  }
  try {
    queue_.push_back(std::move(span));
  } catch (const std::bad_alloc&) {  // decided: the span is lost, and the request is not
    ++dropped_;
    return;
  }
  if (awaited_ != 0 && queue_.size() >= awaited_) {
    awaited_ = 0;
    filled_.notify_one();
  }
}

std::vector<SpanData> Tracer::take(std::size_t count_max) {
  std::vector<SpanData> taken;
  const std::scoped_lock lock(mutex_);
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(count_max, queue_.size()));
  taken.assign(std::move_iterator(queue_.begin()), std::move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return taken;
}

void Tracer::count_exported(std::uint64_t spans) noexcept {
  const std::scoped_lock lock(mutex_);
  exported_ += spans;
}

void Tracer::count_dropped(std::uint64_t spans) noexcept {
  const std::scoped_lock lock(mutex_);
  dropped_ += spans;
}

TracerState Tracer::state() const {
  const std::scoped_lock lock(mutex_);
  return {.recorded = recorded_, .exported = exported_, .dropped = dropped_, .waiting = queue_.size()};
}

Task<> Tracer::wait_for(std::size_t count, std::chrono::nanoseconds limit) {
  static_cast<void>(filled_.try_notified());  // of an earlier call that reached its limit
  {
    const std::scoped_lock lock(mutex_);
    awaited_ = std::min(count, options_.queue_max);
    if (queue_.size() >= awaited_) co_return;
  }
  co_await select(filled_.notified(), sleep_for(limit));
}

}  // namespace volt::tracing
