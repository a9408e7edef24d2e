// SPDX-License-Identifier: MIT

#include "apps/proxy/upstreams.h"

#include <runtime/concurrent.h>
#include <runtime/log.h>
#include <runtime/per_worker.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace proxy {

using volt::log;
using volt::LogLevel;
using volt::Result;
using volt::Task;

Upstreams::Upstreams(const Options& options) : options_(options) {
  for (const std::string& uri : *options.upstreams) all_.push_back({.uri = uri});
}

Task<std::expected<Upstreams::Lease, NoPlace>> Upstreams::take(Place place, std::string client) {
  std::expected<Lease, NoPlace> lease = try_take(place, client, {});
  if (lease || lease.error() == NoPlace::client_share || !any_healthy()) co_return std::move(lease);
  Result<std::expected<Lease, NoPlace>> waited =
      co_await volt::within(options_.wait, [&] { return wait_for_lease(place, client); });
  if (!waited) co_return std::unexpected(NoPlace::unavailable);
  co_return std::move(*waited);
}

// A client that has reached its share since leaves the place to the next one that waits.
Task<std::expected<Upstreams::Lease, NoPlace>> Upstreams::wait_for_lease(Place place, const std::string& client) {
  for (;;) {
    co_await room_[std::to_underlying(place)].notified();
    std::expected<Lease, NoPlace> lease = try_take(place, client, {});
    if (!lease && lease.error() == NoPlace::client_share) room_[std::to_underlying(place)].notify_one();
    if (lease || lease.error() == NoPlace::client_share) co_return std::move(lease);
  }
}

std::expected<Upstreams::Lease, NoPlace> Upstreams::try_take(Place place, const std::string& client,
                                                             const std::vector<std::size_t>& tried) {
  const std::chrono::nanoseconds now = volt::coarse_now();
  const std::size_t kind = std::to_underlying(place);
  const std::scoped_lock lock(mutex_);
  if (!has_share_locked(place, client)) return std::unexpected(NoPlace::client_share);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i != all_.size(); ++i) {
    const std::size_t index = (turn_ + i) % all_.size();
    const Upstream& upstream = all_[index];
    if (!available(upstream, now) || upstream.busy[kind] >= limit(place)) continue;
    if (std::ranges::find(tried, index) != tried.end()) continue;
    if (!best || load_of(upstream) < load_of(all_[*best])) best = index;
  }
  if (!best) return std::unexpected(NoPlace::unavailable);
  turn_ = *best + 1;
  count_client_locked(place, client);
  ++all_[*best].busy[kind];
  return Lease(shared_from_this(), *best, place, client);
}

std::size_t Upstreams::load_of(const Upstream& upstream) noexcept {
  return std::reduce(upstream.busy.begin(), upstream.busy.end());
}

std::size_t Upstreams::limit(Place place) const noexcept {
  switch (place) {
    case Place::request:
      return options_.connections_max;
    case Place::body:
      return options_.bodies_max;
    case Place::tunnel:
      return options_.tunnels_max;
  }
  std::unreachable();
}

bool Upstreams::has_share_locked(Place place, const std::string& client) const {
  if (client.empty() || options_.client_share == 100) return true;
  const auto known = clients_.find(client);
  if (known == clients_.end()) return true;
  const std::size_t share = limit(place) * all_.size() * options_.client_share / 100;
  return known->second[std::to_underlying(place)] < std::max<std::size_t>(share, 1);
}

void Upstreams::count_client_locked(Place place, const std::string& client) {
  if (!client.empty()) ++clients_[client][std::to_underlying(place)];
}

void Upstreams::forget_client_locked(Place place, const std::string& client) {
  const auto known = clients_.find(client);
  if (known == clients_.end()) return;
  --known->second[std::to_underlying(place)];
  if (known->second == Counts{}) clients_.erase(known);
}

bool Upstreams::try_exchange(std::size_t index, Place from, Place to, const std::string& client) {
  {
    const std::scoped_lock lock(mutex_);
    Upstream& upstream = all_[index];
    if (upstream.busy[std::to_underlying(to)] >= limit(to) || !has_share_locked(to, client)) return false;
    count_client_locked(to, client);
    forget_client_locked(from, client);
    ++upstream.busy[std::to_underlying(to)];
    --upstream.busy[std::to_underlying(from)];
  }
  room_[std::to_underlying(from)].notify_one();
  return true;
}

bool Upstreams::any_healthy() const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(all_, &Upstream::healthy);
}

void Upstreams::give_back(std::size_t index, Place place, const std::string& client) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    --all_[index].busy[std::to_underlying(place)];
    forget_client_locked(place, client);
  }
  room_[std::to_underlying(place)].notify_one();
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
    if (upstream.against < (good ? options_.health.rise : options_.health.fall) || good == upstream.healthy) return;
    upstream.healthy = good;
    upstream.against = 0;
    if (good) upstream.ejected_until = {};
  }
  log(good ? LogLevel::info : LogLevel::warning, good ? "an upstream is healthy again" : "an upstream is unhealthy",
      {{"upstream", uri(index)}});
  if (!good) return;
  for (volt::Notify& room : room_) room.notify_one();
}

}  // namespace proxy
