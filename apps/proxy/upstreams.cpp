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

Task<std::optional<Upstreams::Place>> Upstreams::take() {
  if (auto place = try_take({})) co_return std::move(place);
  if (!anybody_well()) co_return std::nullopt;
  auto waiting = volt::within(options_.wait, [this] { return wait_for_place(); });
  Result<std::optional<Place>> place = co_await std::move(waiting);
  if (!place) co_return std::nullopt;
  co_return std::move(*place);
}

Task<std::optional<Upstreams::Place>> Upstreams::wait_for_place() {
  for (;;) {
    co_await room_.notified();
    if (auto place = try_take({})) co_return std::move(place);
  }
}

std::optional<Upstreams::Place> Upstreams::try_take(const std::vector<std::size_t>& tried) {
  const std::chrono::nanoseconds now = volt::coarse_now();
  const std::scoped_lock lock(mutex_);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i != all_.size(); ++i) {
    const std::size_t index = (turn_ + i) % all_.size();
    const Upstream& upstream = all_[index];
    if (!may_be_asked(upstream, now) || upstream.busy >= options_.connections_max) continue;
    if (std::ranges::find(tried, index) != tried.end()) continue;
    if (!best || upstream.busy < all_[*best].busy) best = index;
  }
  if (!best) return std::nullopt;
  turn_ = *best + 1;
  ++all_[*best].busy;
  return Place(shared_from_this(), *best);
}

bool Upstreams::anybody_well() const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::any_of(all_, &Upstream::well);
}

void Upstreams::give_back(std::size_t index) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    --all_[index].busy;
  }
  room_.notify_one();
}

void Upstreams::note_request(std::size_t index, bool good) {
  const std::chrono::nanoseconds now = volt::coarse_now();
  {
    const std::scoped_lock lock(mutex_);
    Upstream& upstream = all_[index];
    upstream.failures = good ? 0 : upstream.failures + 1;
    if (upstream.failures < options_.failures_max || !may_be_asked(upstream, now)) return;
    const auto others =
        std::ranges::count_if(all_, [&](const Upstream& other) { return may_be_asked(other, now); }) - 1;
    if (others == 0) return;
    upstream.failures = 0;
    upstream.alone_until = now + options_.eject_for;
  }
  log(LogLevel::warning, "an upstream fails, and is left alone for a while", {{"upstream", uri(index)}});
}

void Upstreams::note_check(std::size_t index, bool good) {
  {
    const std::scoped_lock lock(mutex_);
    Upstream& upstream = all_[index];
    upstream.against = good == upstream.well ? 0 : upstream.against + 1;
    if (upstream.against < (good ? options_.rise : options_.fall) || good == upstream.well) return;
    upstream.well = good;
    upstream.against = 0;
    if (good) upstream.alone_until = {};
  }
  log(good ? LogLevel::info : LogLevel::warning, good ? "an upstream is well again" : "an upstream is ill",
      {{"upstream", uri(index)}});
  if (good) room_.notify_one();
}

}  // namespace proxy
