#include "http/middleware/metrics_registry.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace volt::http::middleware {
namespace {

std::size_t bucket_of(std::chrono::nanoseconds duration) noexcept {
  const double seconds = std::chrono::duration<double>(duration).count();
  return static_cast<std::size_t>(std::ranges::lower_bound(kDurationBounds, seconds) - kDurationBounds.begin());
}

void add(DurationSeries& sum, const DurationSeries& part) noexcept {
  for (std::size_t i = 0; i != sum.buckets.size(); ++i) sum.buckets[i] += part.buckets[i];
  sum.sum += part.sum;
}

}  // namespace

void MetricsRegistry::add_active(std::int64_t change) {
  Place& place = places_.local();
  const std::lock_guard lock(place.mutex);
  place.active += change;
}

void MetricsRegistry::record(Method method, std::string_view pattern, unsigned status_class,
                             std::chrono::nanoseconds duration) {
  Place& place = places_.local();
  const std::lock_guard lock(place.mutex);
  DurationSeries& series = series_of(place, {.pattern = pattern, .method = method, .status_class = status_class});
  ++series.buckets[bucket_of(duration)];
  series.sum += duration;
}

DurationSeries& MetricsRegistry::series_of(Place& place, const Key& key) {
  if (const auto found = place.series.find(key); found != place.series.end()) return *found->second;
  auto series = std::make_unique<DurationSeries>();
  series->method = key.method;
  series->pattern = key.pattern;
  series->status_class = key.status_class;
  const Key own{.pattern = series->pattern, .method = key.method, .status_class = key.status_class};
  return *place.series.emplace(own, std::move(series)).first->second;
}

MetricsSnapshot MetricsRegistry::snapshot() const {
  MetricsSnapshot snapshot;
  std::map<std::tuple<std::string, Method, unsigned>, DurationSeries> sums;
  places_.for_each([&](Place& place) {
    const std::lock_guard lock(place.mutex);
    snapshot.active_requests += place.active;
    for (const auto& [key, part] : place.series) {
      const auto [sum, fresh] = sums.try_emplace({part->pattern, part->method, part->status_class}, *part);
      if (!fresh) add(sum->second, *part);
    }
  });
  for (auto& [key, series] : sums) snapshot.durations.push_back(std::move(series));
  return snapshot;
}

}  // namespace volt::http::middleware
