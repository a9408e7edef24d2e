// SPDX-License-Identifier: MIT

#include "http/server/internal/overload.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "runtime/log.h"

namespace volt::http::server {
namespace {

constexpr auto kOverloadLogInterval = std::chrono::seconds(1);

std::size_t connection_bound(const ServerOptions& options) {
  if (options.connections_max != 0) return options.connections_max;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  std::error_code unknown;
  const std::filesystem::directory_iterator open("/proc/self/fd", unknown);
  return connections_that_fit(limit.rlim_cur, static_cast<std::uint64_t>(std::distance(open, {})));
}

std::optional<MemoryUse> memory_bound(const ServerOptions& options) {
  if (options.memory_bytes_max != 0) return MemoryUse::of_process(options.memory_bytes_max);
  return MemoryUse::of_cgroup();
}

std::string_view line_for(OverloadReason reason) noexcept {
  switch (reason) {
    case OverloadReason::connections:
      return "connection limit reached: further connections wait";
    case OverloadReason::client_connections:
      return "a client reached its connection limit: its further connections are reset";
    case OverloadReason::queue_delay:
      return "overload: requests that waited too long for a worker get 503";
    case OverloadReason::memory:
      return "memory is low: requests are refused";
  }
  return {};
}

}  // namespace

std::size_t connections_that_fit(std::uint64_t descriptors_max, std::uint64_t open) noexcept {
  constexpr std::uint64_t kForOthersMin = 16;
  constexpr std::uint64_t kForOthersMax = 512;
  if (descriptors_max == RLIM_INFINITY) return 0;
  const std::uint64_t taken = open + std::clamp(descriptors_max / 10, kForOthersMin, kForOthersMax);
  return descriptors_max > taken ? descriptors_max - taken : 1;
}

Overload::Overload(const ServerOptions& options)
    : connections_max(connection_bound(options)),
      connections(permits_for(connections_max)),
      clients(options.connections_per_client_max),
      memory(memory_bound(options)),
      options_(options) {}

std::optional<OverloadReason> Overload::overload_reason(const Turn& turn, bool has_body) noexcept {
  memory.look(turn.now);
  const MemoryBudget::State state = memory.state();
  if (state != MemoryBudget::State::plenty && (has_body || state == MemoryBudget::State::exhausted)) {
    return OverloadReason::memory;
  }
  if (waited_too_long(turn, options_)) return OverloadReason::queue_delay;
  return std::nullopt;
}

void Overload::note(OverloadReason reason, std::chrono::nanoseconds now) noexcept {
  Tally& tally = tallies_[static_cast<std::size_t>(reason)];
  const std::uint64_t count = tally.count.fetch_add(1, base::relaxed) + 1;  // relaxed: a statistic
  if (tally.lines.due(now, kOverloadLogInterval)) log(LogLevel::warning, line_for(reason), {{"count", count}});
}

std::uint64_t Overload::noted(OverloadReason reason) const noexcept {
  return tallies_[static_cast<std::size_t>(reason)].count.load(base::relaxed);  // relaxed: a report
}

}  // namespace volt::http::server
