// SPDX-License-Identifier: MIT

#include "http/client/internal/authorities.h"

#include <algorithm>

#include "http/client/client.h"
#include "http/client/internal/retry_policy.h"

namespace volt::http::client {

Authority::Authority(const ClientOptions& options)
    : retry_budget(options.retry),
      circuit(options.circuit_breaker),
      places(options.concurrency.running_max, {.waiting_max = options.concurrency.waiting_max}) {}

Authorities::Authorities(const ClientOptions& options)
    : options_(options),
      needed_(options.retry.attempts_max > 1 || is_enabled(options.circuit_breaker) ||
              options.concurrency.running_max != 0 || is_enabled(options.hedge)) {
  check(options.retry);
  check(options.circuit_breaker);
  check(options.hedge);
}

std::size_t Authorities::circuits(CircuitState state) const {
  const std::scoped_lock lock(mutex_);
  const auto count =
      std::ranges::count_if(known_, [&](const auto& entry) { return entry.second->circuit.state() == state; });
  return static_cast<std::size_t>(count);
}

std::shared_ptr<Authority> Authorities::find(const std::string& origin, bool request_needs_it) {
  if (!needed_ && !request_needs_it) return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(origin);
  if (found != known_.end()) return found->second;
  if (known_.size() >= kKnownMax) forget_one_locked();
  return known_.emplace(origin, std::make_shared<Authority>(options_)).first->second;
}

// An entry that only the map holds is not in use: find() copies it under the lock.
void Authorities::forget_one_locked() {
  const auto unused = std::ranges::find_if(known_, [](const auto& entry) { return entry.second.use_count() == 1; });
  if (unused != known_.end()) known_.erase(unused);
}

}  // namespace volt::http::client
