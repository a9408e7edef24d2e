// SPDX-License-Identifier: MIT

#include "http/server/internal/traffic.h"

#include <algorithm>
#include <map>
#include <new>
#include <numeric>
#include <tuple>
#include <utility>

namespace volt::http::server {

std::uint64_t TrafficSeries::count() const noexcept {
  return std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
}

void TrafficSeries::add(const TrafficSeries& other) noexcept {
  for (std::size_t i = 0; i != buckets.size(); ++i) buckets[i] += other.buckets[i];
  sum += other.sum;
}

Traffic::Traffic(std::uint32_t routes, std::uint32_t workers)
    : routes_(routes), worker_series_(workers), stalls_(new base::Atomic<std::uint64_t>[routes + 1]()) {
  worker_series_.for_each([=](WorkerSeries& own) {
    own.of_route.reset(new SeriesList[routes + 1]());
    own.phases.reset(new base::Atomic<PhaseCounters*>[routes + 1]());
  });
}

Traffic::~Traffic() {
  worker_series_.for_each([this](WorkerSeries& own) {
    for (std::uint32_t route = 0; route <= routes_; ++route) {
      Series* series = own.of_route[route].load(base::relaxed);  // relaxed: no other thread uses it any more
      while (series != nullptr) delete std::exchange(series, series->next);
      delete own.phases[route].load(base::relaxed);  // relaxed: as above
    }
  });
}

void Traffic::record(std::uint32_t route, std::optional<Method> method, unsigned status,
                     std::chrono::nanoseconds duration) noexcept {
  count(worker_series_.local(), route, method, status, duration);
}

void Traffic::record_request(std::uint32_t route, Method method, unsigned status, const RequestPhases& phases,
                             bool handled) noexcept {
  WorkerSeries& own = worker_series_.local();
  own.active.subtract();
  count(own, route, method, status, phases.total());
  PhaseCounters* const counters = phases_of(own, route);
  if (counters == nullptr) return;
  counters->add(Phase::queue, phases.queue);
  if (handled) counters->add(Phase::handler, phases.handler);
  if (phases.receive.count() != 0) counters->add(Phase::receive, phases.receive);
}

void Traffic::record_phase(std::uint32_t route, Phase phase, std::chrono::nanoseconds duration,
                           std::uint64_t count) noexcept {
  PhaseCounters* const counters = phases_of(worker_series_.local(), route);
  if (counters != nullptr) counters->add(phase, duration, count);
}

void Traffic::count(WorkerSeries& own, std::uint32_t route, std::optional<Method> method, unsigned status,
                    std::chrono::nanoseconds duration) noexcept {
  Series* const series = find_or_add(own.of_route[route], method, status);
  if (series == nullptr) return;
  series->buckets[bucket_of(duration)].add();
  series->sum_ns.add(static_cast<std::uint64_t>(duration.count()));
}

Traffic::PhaseCounters* Traffic::phases_of(WorkerSeries& own, std::uint32_t route) noexcept {
  PhaseCounters* counters = own.phases[route].load(base::relaxed);  // relaxed: this worker is the only writer
  if (counters == nullptr) [[unlikely]] {
    counters = new (std::nothrow) PhaseCounters;
    if (counters != nullptr) own.phases[route].store(counters, base::release);  // T1
  }
  return counters;
}

std::vector<RoutePhases> Traffic::phases() {
  std::vector<RoutePhases> sums(routes_ + 1);
  std::vector<bool> requested(sums.size());
  worker_series_.for_each([&](const WorkerSeries& own) {
    for (std::uint32_t route = 0; route <= routes_; ++route) {
      const PhaseCounters* const counters = own.phases[route].load(base::acquire);  // T1
      if (counters == nullptr) continue;
      requested[route] = true;
      for (std::size_t i = 0; i != kPhaseCount; ++i) {
        PhaseHistogram& sum = sums[route].phases[i];
        const PhaseCounters::Histogram& part = counters->phases[i];
        for (std::size_t b = 0; b != sum.buckets.size(); ++b) sum.buckets[b] += part.buckets[b].value();
        sum.sum += std::chrono::nanoseconds(part.sum_ns.value());
      }
    }
  });
  for (std::uint32_t route = 0; route <= routes_; ++route) sums[route].route = route;
  std::erase_if(sums, [&](const RoutePhases& sum) { return !requested[sum.route]; });
  return sums;
}

Traffic::Series* Traffic::find_or_add(SeriesList& list, std::optional<Method> method, unsigned status) noexcept {
  Series* const first = list.load(base::relaxed);  // relaxed: this worker is the only writer
  for (Series* series = first; series != nullptr; series = series->next) {
    if (series->status == status && series->method == method) return series;
  }
  auto* const added = new (std::nothrow) Series{.method = method, .status = status, .next = first};
  if (added != nullptr) list.store(added, base::release);  // T1
  return added;
}

TrafficSnapshot Traffic::snapshot() {
  TrafficSnapshot snapshot;
  std::map<std::tuple<std::uint32_t, std::optional<Method>, unsigned>, TrafficSeries> sums;
  worker_series_.for_each([&](const WorkerSeries& worker_series) {
    snapshot.active += worker_series.active.value();
    for (std::uint32_t route = 0; route <= routes_; ++route) {
      const Series* series = worker_series.of_route[route].load(base::acquire);  // T1
      for (; series != nullptr; series = series->next) {
        TrafficSeries part{.route = route, .method = series->method, .status = series->status};
        for (std::size_t b = 0; b != part.buckets.size(); ++b) part.buckets[b] = series->buckets[b].value();
        part.sum = std::chrono::nanoseconds(series->sum_ns.value());
        const auto [sum, fresh] = sums.try_emplace({route, part.method, part.status}, part);
        if (!fresh) sum->second.add(part);
      }
    }
  });
  for (auto& [key, series] : sums) snapshot.series.push_back(series);
  for (std::uint32_t route = 0; route <= routes_; ++route) {
    snapshot.stalls.push_back(stalls_[route].load(base::relaxed));  // relaxed: a report
  }
  snapshot.other_stalls = other_stalls_.load(base::relaxed);  // relaxed: as above
  return snapshot;
}

}  // namespace volt::http::server
