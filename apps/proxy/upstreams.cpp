// SPDX-License-Identifier: MIT

#include "apps/proxy/upstreams.h"

#include <runtime/concurrent.h>
#include <runtime/log.h>
#include <runtime/per_worker.h>

#include <algorithm>

namespace proxy {

using volt::log;
using volt::LogLevel;
using volt::Result;
using volt::Task;

Upstreams::Upstreams(const Options& options) : options_(options) {
  for (const std::string& uri : options.upstreams) all_.push_back({.uri = uri});
}

Task<std::optional<Upstreams::Lease>> Upstreams::take() {
  if (auto place = try_take({})) co_return std::move(place);
  if (!any_healthy()) co_return std::nullopt;
  auto waiting = volt::within(options_.wait, [this] { return wait_for_lease(); });
  Result<std::optional<Lease>> place = co_await std::move(waiting);
  if (!place) co_return std::nullopt;
  co_return std::move(*place);
}

Task<std::optional<Upstreams::Lease>> Upstreams::wait_for_lease() {
  for (;;) {
    co_await room_.notified();
    if (auto place = try_take({})) co_return std::move(place);
  }
}

std::optional<Upstreams::Lease> Upstreams::try_take(const std::vector<std::size_t>& tried) {
  const std::chrono::nanoseconds now = volt::coarse_now();
  const std::scoped_lock lock(mutex_);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i != all_.size(); ++i) {
    const std::size_t index = (turn_ + i) % all_.size();
    const Upstream& upstream = all_[index];
    if (!available(upstream, now) || upstream.busy >= options_.connections_max) continue;
    if (std::ranges::find(tried, index) != tried.end()) continue;
    if (!best || upstream.busy < all_[*best].busy) best = index;
  }
  if (!best) return std::nullopt;
  turn_ = *best + 1;
  ++all_[*best].busy;
  return Lease(shared_from_this(), *best);
}

bool Upstreams::any_healthy() const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(all_, &Upstream::healthy);
}

void Upstreams::give_back(std::size_t index) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    --all_[index].busy;
  }
  room_.notify_one();
}

void Upstreams::record_request_result(std::size_t index, bool good) {
  const std::chrono::nanoseconds now = volt::coarse_now();
  {
    const std::scoped_lock lock(mutex_);
    Upstream& upstream = all_[index];
    upstream.failures = good ? 0 : upstream.failures + 1;
    if (upstream.failures < options_.failures_max || !available(upstream, now)) return;
    const auto others = std::ranges::count_if(all_, [&](const Upstream& other) { return available(other, now); }) - 1;
    if (others == 0) return;
    upstream.failures = 0;
    upstream.ejected_until = now + options_.eject_for;
  }
  log(LogLevel::warning, "an upstream failed several times in a row and gets no requests for a while",
      {{"upstream", uri(index)}});
}

void Upstreams::record_health_check(std::size_t index, bool good) {
  {
    const std::scoped_lock lock(mutex_);
    Upstream& upstream = all_[index];
    upstream.against = good == upstream.healthy ? 0 : upstream.against + 1;
    if (upstream.against < (good ? options_.rise : options_.fall) || good == upstream.healthy) return;
    upstream.healthy = good;
    upstream.against = 0;
    if (good) upstream.ejected_until = {};
  }
  log(good ? LogLevel::info : LogLevel::warning, good ? "an upstream is healthy again" : "an upstream is unhealthy",
      {{"upstream", uri(index)}});
  if (good) room_.notify_one();
}

}  // namespace proxy
