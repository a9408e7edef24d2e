// SPDX-License-Identifier: MIT

#include "http/server/internal/slow_requests.h"

#include <algorithm>
#include <utility>

namespace volt::http::server {
namespace {

constexpr auto kMinute = std::chrono::minutes(1);

bool is_slower(const SlowRequest& one, const SlowRequest& other) noexcept {
  return one.phases.total() > other.phases.total();
}

void keep_slowest(std::vector<SlowRequest>& requests) {
  if (requests.size() > SlowRequests::kKept) requests.resize(SlowRequests::kKept);
}

}  // namespace

void SlowRequests::add(SlowRequest request, TimePoint now) {
  const std::scoped_lock lock(mutex_);
  if (minutes_.empty() || now >= minutes_.back().ends_at) {
    minutes_.push_back({.ends_at = now + kMinute, .requests = {}});
    if (minutes_.size() > kMinutes) minutes_.pop_front();
    minute_ends_at_ns_.store(minutes_.back().ends_at.time_since_epoch().count(), base::relaxed);  // relaxed: a hint
  }
  std::vector<SlowRequest>& requests = minutes_.back().requests;
  requests.insert(std::ranges::upper_bound(requests, request, is_slower), std::move(request));
  keep_slowest(requests);
  const std::int64_t least_ns = requests.size() == kKept ? requests.back().phases.total().count() : 0;
  least_ns_.store(least_ns, base::relaxed);  // relaxed: a hint
}

std::vector<SlowRequest> SlowRequests::slowest(TimePoint now) const {
  std::vector<SlowRequest> all;
  {
    const std::scoped_lock lock(mutex_);
    for (const Minute& minute : minutes_) {
      if (now < minute.ends_at + (kMinutes - 1) * kMinute) {
        all.insert(all.end(), minute.requests.begin(), minute.requests.end());
      }
    }
  }
  std::ranges::sort(all, is_slower);
  keep_slowest(all);
  return all;
}

}  // namespace volt::http::server
