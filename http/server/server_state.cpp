// SPDX-License-Identifier: MIT

#include "http/server/server_state.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <ranges>
#include <utility>

#include "http/server/internal/io_channel.h"
#include "runtime/wall_clock.h"

namespace volt::http::server {
namespace {

constexpr std::uint64_t kRequestContextBytes = 16 * 1024;  // approximate size of a context with its buffer

// Returns how many connections may linger: a quarter of all, so that clients that are refused while they send cannot
// keep out the others. A few may always linger.
std::size_t lingering_max(std::size_t connections_max) noexcept {
  constexpr std::size_t kFew = 16;
  return connections_max == 0 ? std::numeric_limits<std::size_t>::max() : std::max(connections_max / 4, kFew);
}

}  // namespace

std::unique_ptr<AppDefinition> with_outermost(App app) {
  auto& outermost = app.hooks()->outermost;
  std::unique_ptr<AppDefinition> definition = std::move(app).release();
  auto& own = definition->groups.front().middleware;
  for (Middleware& middleware : std::views::reverse(outermost))
    own.insert(own.begin(), std::make_unique<Middleware>(std::move(middleware)));
  outermost.clear();
  return definition;
}

std::string_view DateCache::view(std::chrono::nanoseconds monotonic_now) noexcept {
  if (monotonic_now >= next_) {
    using namespace std::chrono;
    const auto now = wall_now();
    const auto second = floor<seconds>(now);
    date_ = message::HttpDate(second);
    next_ = monotonic_now + duration_cast<nanoseconds>(second + seconds(1) - now);
  }
  return date_.view();
}

std::unique_ptr<RequestContext> ServerState::take_request_context() {
  if (auto pooled = of_workers_.local().pool.take()) return pooled;
  overload.memory.charge(kRequestContextBytes, coarse_now());
  return std::make_unique<RequestContext>(options.limits);
}

void ServerState::put_request_context(std::unique_ptr<RequestContext> request_context) noexcept {
  RequestContextPool& pool = of_workers_.local().pool;
  if (overload.memory.low()) return pool.clear();
  if (this_worker() >= workers_) return;  // a spare: nothing would free its pool when its thread has ended
  pool.put(std::move(request_context), coarse_now());
}

void ServerState::add_connection(ConnectionEntry& connection) {
  const std::scoped_lock lock(mutex_);
  connections_.emplace(connection.task(), &connection);
}

void ServerState::remove_connection(ConnectionEntry& connection) noexcept {
  std::optional<TimedRequest> last;
  try {
    last = connection.last_long_request();
  } catch (const std::bad_alloc&) {  // decided: a stall may then be charged to no route
  }
  const std::scoped_lock lock(mutex_);
  connections_.erase(connection.task());
  if (last && !closed_.empty()) {
    closed_[std::exchange(next_closed_, (next_closed_ + 1) % kClosedMax)] = {connection.task(), *std::move(last)};
  }
  if (!connection.linked()) return;
  connection.unlink();
  --lingering_count_;
}

void ServerState::add_lingering(ConnectionEntry& connection) noexcept {
  const std::scoped_lock lock(mutex_);
  lingering_.push_back(connection);
  if (lingering_count_ < lingering_max(overload.connections_max)) {
    ++lingering_count_;
    return;
  }
  ConnectionEntry& oldest = *lingering_.front();
  oldest.unlink();
  oldest.end_linger();
}

std::size_t ServerState::connection_count() const noexcept {
  const std::scoped_lock lock(mutex_);
  return connections_.size();
}

void ServerState::start_drain() noexcept {
  announce_drain();
  const std::scoped_lock lock(mutex_);
  if (!draining()) opening_until_ = std::chrono::steady_clock::now() + options.drain_idle_timeout;
  draining_.store(true, base::relaxed);  // relaxed: a flag; interrupts are repeated
}

void ServerState::interrupt_connections() noexcept {
  const std::scoped_lock lock(mutex_);
  const bool spares = !draining() || std::chrono::steady_clock::now() < opening_until_;
  for (const auto& [task, connection] : connections_) {
    if (connection->open() || !spares) connection->io_channel().interrupt_read();
  }
}

std::vector<ConnectionInfo> ServerState::connections(std::size_t count_max) const {
  std::vector<ConnectionInfo> infos;
  infos.reserve(count_max);  // before the lock is taken
  const std::scoped_lock lock(mutex_);
  for (const auto& [task, connection] : connections_) {
    if (infos.size() == count_max) break;
    infos.push_back(connection->info());
  }
  return infos;
}

void ServerState::measure() {
  VOLT_CHECK(connection_count() == 0);
  traffic_ = std::make_unique<Traffic>(service.route_count(), worker_slots_);
  closed_.resize(kClosedMax);
}

std::optional<RunningRequest> ServerState::request_during(TaskId task, std::chrono::steady_clock::time_point from,
                                                          std::chrono::steady_clock::time_point until,
                                                          std::chrono::nanoseconds charged) const {
  const std::scoped_lock lock(mutex_);
  if (const auto found = connections_.find(task); found != connections_.end()) {
    return found->second->request_during(from, until, charged);
  }
  for (const ClosedRequest& closed : closed_) {
    if (closed.task == task && closed.timed.took_most_of(charged, from, until)) return closed.timed.request;
  }
  return std::nullopt;
}

}  // namespace volt::http::server
