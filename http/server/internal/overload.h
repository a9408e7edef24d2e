// SPDX-License-Identifier: MIT

// Overload: protects a server from overload (load shedding). It limits the connections, in total and of each client,
// and decides which requests are refused before their handler is called.
//
// ServerOptions (http/server/options.h) describes each limit. The checks of a request take no lock: they compare two
// durations with the options, and load one atomic word.
//
// Queue delay. The runtime knows when each task became runnable, and when its worker was last without work. If a queue
// has not been empty for a while, the workers cannot clear it (the idea of CoDel, RFC 8289). Requests that have waited
// in it for too long are then refused, which costs less than to serve long ones. So the workers serve requests whose
// clients still wait. Rejected: CoDel's own measure, the least delay of an interval. The first task that an event wakes
// does not queue (runtime/sched/worker.h), so the least delay is always near 0.
//
// A late request is served all the same if little work is queued behind it: then the queue is not what it has waited
// for. Its worker was not given a processor, because other processes have them or the quota of the cgroup is used up,
// and to refuse the request would help no other one.
//
// Of the other late requests, a worker refuses only as many as bring its average time for a request down to 50 us
// (late_requests.h), because to refuse a short request takes about as long as to serve it. Without pipelining, short
// requests are late only if there are thousands of connections for each worker; their number then limits the wait. The
// requests of all routes count in one average. Rejected: the rate of CoDel, which grows with the square root of the
// number of refusals. It needs many seconds until it refuses half of several thousand requests per second, and ignores
// what a refusal saves.
//
// The time for which a new connection has waited in the backlog counts as well, if it is long (AcceptorTurn in
// http/server/server.cpp). The other connections in the backlog are then work that is queued behind it.
//
// Heavy routes. The requests of all heavy routes wait in one queue (runtime/sched/heavy_queue.h), in the order of their
// arrival. A request is refused if it, or the first request in the queue, has waited for longer than a limit. The limit
// is the largest of three durations: queue_delay_max, four times the longest of the last turns of its route, and four
// times the longest of the last computations of any route; but at most heavy_delay_max. So a request that is served
// takes at most about five times as long as its handler, and a few clients may always wait for a slow handler.
// queue_busy_min plays no part: a queue whose first request has waited was not empty in that time.
//
// If the load stays too high, the queue never empties, and every request would wait for nearly as long as the limit.
// Therefore the limit uses a fifth of queue_delay_max from the first refusal on, until no request was refused for a
// second. Requests are then served soon or refused soon, and the workers are as busy as before. The full limit is tried
// again after twenty seconds: with a few clients that never pause, the queue may settle between the two limits. For
// requests of light routes the limit stays as it is, because refusing such a request costs about as much as serving it.
//
// Threads: any. Lifetime: that of the ServerState.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/server/internal/client_counts.h"
#include "http/server/internal/interval_gate.h"
#include "http/server/internal/late_requests.h"
#include "http/server/internal/memory_budget.h"
#include "http/server/options.h"
#include "runtime/base/atomic.h"
#include "runtime/per_worker.h"
#include "runtime/semaphore.h"

namespace volt::http::server {

// Why a connection or a request was refused or had to wait.
enum class OverloadReason : std::uint8_t {
  connections,         // a connection waited: its listener or the server had reached its maximum
  client_connections,  // a connection was reset: its client had reached its maximum
  queue_delay,         // a request was refused: it had waited too long for its turn
  heavy_delay,         // a request of a heavy route was refused: such requests wait too long for a thread
  memory,              // a request, a message or the rest of a body was refused: memory was low
};
inline constexpr std::array kOverloadReasons = {OverloadReason::connections, OverloadReason::client_connections,
                                                OverloadReason::queue_delay, OverloadReason::heavy_delay,
                                                OverloadReason::memory};

[[nodiscard]] constexpr std::string_view to_string(OverloadReason reason) noexcept {
  switch (reason) {
    case OverloadReason::connections:
      return "connections";
    case OverloadReason::client_connections:
      return "client_connections";
    case OverloadReason::queue_delay:
      return "queue_delay";
    case OverloadReason::heavy_delay:
      return "heavy_delay";
    case OverloadReason::memory:
      return "memory";
  }
  return {};
}

// Returns whether the request whose task now runs in `turn` has waited too long (ServerOptions::queue_delay_max).
[[nodiscard]] constexpr bool waited_too_long(const Turn& turn, const ServerOptions& options) noexcept {
  return turn.queued_for > options.queue_delay_max && turn.busy_for > options.queue_busy_min &&
         options.queue_delay_max.count() != 0;
}

// A small part of the longest wait.
[[nodiscard]] constexpr std::chrono::nanoseconds eighth_of_delay(const ServerOptions& options) noexcept {
  return std::chrono::nanoseconds(options.queue_delay_max) / 8;
}

// Returns whether the work that is queued behind a late request is a reason to refuse the request.
[[nodiscard]] constexpr bool worth_refusing_for(std::chrono::nanoseconds queued_work,
                                                const ServerOptions& options) noexcept {
  return queued_work >= eighth_of_delay(options);
}

// Returns how long a request of a heavy route may wait. `longest_turn` is the duration of the longest of the last heavy
// turns; `refusing`: requests were refused a short time ago.
[[nodiscard]] constexpr std::chrono::nanoseconds heavy_delay_limit(std::chrono::nanoseconds longest_turn, bool refusing,
                                                                   const ServerOptions& options) noexcept {
  constexpr int kTurnsWaited = 4;
  constexpr int kLessWhileRefusing = 5;
  if (options.heavy_delay_max.count() == 0) return std::chrono::nanoseconds::max();
  if (options.queue_delay_max.count() == 0) return options.heavy_delay_max;
  const std::chrono::nanoseconds least = options.queue_delay_max / (refusing ? kLessWhileRefusing : 1);
  return std::min<std::chrono::nanoseconds>(options.heavy_delay_max, std::max(least, kTurnsWaited * longest_turn));
}

// Returns how many connections fit into the limit on descriptors. Subtracts the descriptors that are already `open`,
// and a tenth of the limit, which is left for other uses. 0: any number.
[[nodiscard]] std::size_t connections_that_fit(std::uint64_t descriptors_max, std::uint64_t open) noexcept;

// Returns the number of permits for a semaphore that limits connections. `connections_max` 0 means any number.
[[nodiscard]] constexpr std::size_t permits_for(std::size_t connections_max) noexcept {
  return connections_max == 0 ? Semaphore::kPermitsMax : connections_max;
}

class Overload {
 public:
  // `worker_slots` is that of the runtime. The options must outlive this object.
  Overload(const ServerOptions& options, std::uint32_t worker_slots);

  const std::size_t connections_max;  // 0: any number
  Semaphore connections;              // a permit for each open connection of the server
  ClientCounts clients;
  MemoryBudget memory;

  // Returns the reason to refuse a request whose head has just been received, or none if it must be served.
  // `queued_work` returns the duration of the work behind it; it is called only if the request is late. Must be called
  // in a task.
  template <class QueuedWork>
  [[nodiscard]] std::optional<OverloadReason> overload_reason(const Turn& turn, bool has_body,
                                                              const QueuedWork& queued_work) noexcept {
    if (lacks_memory(turn, has_body)) return OverloadReason::memory;
    if (turn.queued_for <= counted_from_) return std::nullopt;
    LateRequests& late_requests = late_requests_.local();
    late_requests.add(turn);
    if (!waited_too_long(turn, options_) || !worth_refusing_for(queued_work(), options_)) return std::nullopt;
    if (!late_requests.decide_refusal()) return std::nullopt;
    return OverloadReason::queue_delay;
  }

  // Returns whether a request of a heavy route must be refused, given that it has waited for `delay`, or that the first
  // one in the queue has. Must be called in a task.
  [[nodiscard]] bool heavy_delay_too_long(std::chrono::nanoseconds delay, std::chrono::nanoseconds now) noexcept;

  // Counts the event, and logs it at most once a second for each reason.
  void note(OverloadReason reason, std::chrono::nanoseconds now) noexcept;
  [[nodiscard]] std::uint64_t noted(OverloadReason reason) const noexcept;

  // Mark the beginning and the end of a time in which a connection waits for a place. Such times may overlap. During
  // them idle connections are closed soon.
  void begin_connection_pressure() noexcept { connection_pressures_.fetch_add(1, base::relaxed); }  // relaxed: a hint
  void end_connection_pressure() noexcept { connection_pressures_.fetch_sub(1, base::relaxed); }    // relaxed: as above
  [[nodiscard]] bool under_connection_pressure() const noexcept {
    return connection_pressures_.load(base::relaxed) != 0;  // relaxed: as above
  }
  // Returns true if the caller must interrupt the idle connections, so that they notice the pressure: at most once per
  // pressure_idle_timeout.
  [[nodiscard]] bool should_close_idle(std::chrono::nanoseconds now) noexcept {
    return idle_close_gate_.due(now, options_.pressure_idle_timeout);
  }

 private:
  struct Tally {
    base::Atomic<std::uint64_t> count{0};
    IntervalGate lines;
  };

  [[nodiscard]] bool lacks_memory(const Turn& turn, bool has_body) noexcept;

  const ServerOptions& options_;
  // Requests that have waited for less are not counted in `late_requests_`: eighth_of_delay(), or the maximum if
  // queue_delay_max is 0.
  const std::chrono::nanoseconds counted_from_;
  PerWorker<LateRequests> late_requests_;
  base::Atomic<std::uint32_t> connection_pressures_{0};
  base::Atomic<std::int64_t> refusing_heavy_from_ns_{0};   // requests of heavy routes are being refused from here
  base::Atomic<std::int64_t> refusing_heavy_until_ns_{0};  // to here
  IntervalGate idle_close_gate_;
  std::array<Tally, kOverloadReasons.size()> tallies_;
};

}  // namespace volt::http::server
