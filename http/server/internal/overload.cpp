// SPDX-License-Identifier: MIT

#include "http/server/internal/overload.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "http/web/http_log.h"
#include "runtime/work_class.h"

namespace volt::http::server {
namespace {

// After a refusal, the limit for heavy routes is lower until none of their requests was refused for kRefusingLasts, but
// for kRefusingLastsMax at most. Then the full limit applies again until the queue has become too long, which takes
// about a tenth of a second. This is too rare to show in the 99th percentile.
constexpr std::chrono::nanoseconds kRefusingLasts = std::chrono::seconds(1);
constexpr std::chrono::nanoseconds kRefusingLastsMax = std::chrono::seconds(20);

constexpr auto kOverloadLogInterval = std::chrono::seconds(1);

std::size_t connection_bound(const ServerOptions& options) {
  if (options.connections_max != 0) return options.connections_max;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  std::error_code unknown;
  const std::filesystem::directory_iterator open("/proc/self/fd", unknown);
  return connections_that_fit(limit.rlim_cur, static_cast<std::uint64_t>(std::distance(open, {})));
}

// Without a limit of the cgroup, an eighth of the machine's memory is left to the kernel and to other processes.
constexpr std::uint64_t kShareOfOthers = 8;

std::optional<MemoryUse> memory_bound(const ServerOptions& options) {
  if (options.memory_bytes_max != 0) return MemoryUse::of_process(options.memory_bytes_max);
  if (auto cgroup = MemoryUse::of_cgroup()) return cgroup;
  const std::uint64_t machine_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return MemoryUse::of_process(machine_bytes - machine_bytes / kShareOfOthers);
}

std::string_view line_for(OverloadReason reason) noexcept {
  switch (reason) {
    case OverloadReason::connections:
      return "connection limit reached: further connections wait";
    case OverloadReason::client_connections:
      return "a client reached its connection limit: its further connections are reset";
    case OverloadReason::queue_delay:
      return "overload: requests that waited too long for a worker get 503";
    case OverloadReason::heavy_delay:
      return "overload: handlers that compute for long, or block their threads, occupy all workers and spare workers; "
             "requests of such routes that wait too long get 503";
    case OverloadReason::memory:
      return "memory is low: requests are refused";
  }
  return {};
}

std::chrono::nanoseconds counted_from(const ServerOptions& options) noexcept {
  return options.queue_delay_max.count() == 0 ? std::chrono::nanoseconds::max() : eighth_of_delay(options);
}

}  // namespace

std::size_t connections_that_fit(std::uint64_t descriptors_max, std::uint64_t open) noexcept {
  constexpr std::uint64_t kForOthersMin = 16;
  constexpr std::uint64_t kForOthersMax = 512;
  if (descriptors_max == RLIM_INFINITY) return 0;
  const std::uint64_t taken = open + std::clamp(descriptors_max / 10, kForOthersMin, kForOthersMax);
  return descriptors_max > taken ? descriptors_max - taken : 1;
}

Overload::Overload(const ServerOptions& options, std::uint32_t worker_slots)
    : connections_max(connection_bound(options)),
      connections(permits_for(connections_max)),
      clients(options.connections_per_client_max),
      memory(memory_bound(options)),
      options_(options),
      counted_from_(counted_from(options)),
      late_requests_(worker_slots) {}

bool Overload::lacks_memory(const Turn& turn, bool has_body) noexcept {
  memory.look(turn.now);
  const MemoryBudget::State state = memory.state();
  return state == MemoryBudget::State::exhausted || (has_body && state != MemoryBudget::State::plenty);
}

bool Overload::heavy_delay_too_long(std::chrono::nanoseconds delay, std::chrono::nanoseconds now) noexcept {
  const bool refusing =
      now.count() < refusing_heavy_until_ns_.load(base::relaxed) &&                           // relaxed: a hint
      now.count() - refusing_heavy_from_ns_.load(base::relaxed) < kRefusingLastsMax.count();  // relaxed: a hint
  if (delay <= heavy_delay_limit(longest_heavy_turn(), refusing, options_)) return false;
  if (!refusing) refusing_heavy_from_ns_.store(now.count(), base::relaxed);       // relaxed: a hint
  refusing_heavy_until_ns_.store((now + kRefusingLasts).count(), base::relaxed);  // relaxed: a hint
  return true;
}

void Overload::note(OverloadReason reason, std::chrono::nanoseconds now) noexcept {
  Tally& tally = tallies_[static_cast<std::size_t>(reason)];
  const std::uint64_t count = tally.count.fetch_add(1, base::relaxed) + 1;  // relaxed: a statistic
  if (tally.lines.due(now, kOverloadLogInterval)) kHttpLog(LogLevel::warning, line_for(reason), {{"count", count}});
}

std::uint64_t Overload::noted(OverloadReason reason) const noexcept {
  return tallies_[static_cast<std::size_t>(reason)].count.load(base::relaxed);  // relaxed: a report
}

}  // namespace volt::http::server
