#include "http/server/site.h"

#include "http/server/internal/wire.h"

namespace volt::http::server {
namespace {

constexpr std::uint64_t kExchangeBytes = 16 * 1024;  // about as much as one takes

}  // namespace

std::string_view DateCache::view(std::chrono::nanoseconds monotonic_now) noexcept {
  if (monotonic_now >= next_) {
    using namespace std::chrono;
    const auto now = system_clock::now();
    const auto second = floor<seconds>(now);
    date_ = message::HttpDate(second);
    next_ = monotonic_now + duration_cast<nanoseconds>(second + seconds(1) - now);
  }
  return date_.view();
}

std::unique_ptr<Exchange> Site::take_exchange() {
  auto& exchanges = shelves_.local().exchanges;
  if (exchanges.empty()) {
    overload.memory.charge(kExchangeBytes, coarse_now());
    return std::make_unique<Exchange>(options.limits);
  }
  auto exchange = std::move(exchanges.back());
  exchanges.pop_back();
  return exchange;
}

void Site::put_exchange(std::unique_ptr<Exchange> exchange) noexcept {
  auto& exchanges = shelves_.local().exchanges;
  if (overload.memory.low()) return exchanges.clear();
  if (exchanges.size() >= Shelf::kExchangesMax || !exchange->recycle()) return;
  exchanges.push_back(std::move(exchange));  // within what Shelf() reserved
}

void Site::add_connection(ConnectionRecord& connection) {
  const std::scoped_lock lock(mutex_);
  connections_.emplace(connection.task(), &connection);
}

void Site::remove_connection(ConnectionRecord& connection) noexcept {
  const std::scoped_lock lock(mutex_);
  connections_.erase(connection.task());
}

std::size_t Site::connection_count() const noexcept {
  const std::scoped_lock lock(mutex_);
  return connections_.size();
}

void Site::start_drain() noexcept {
  announce_drain();
  const std::scoped_lock lock(mutex_);
  if (!draining()) opening_until_ = std::chrono::steady_clock::now() + options.drain_linger;
  draining_.store(true, base::relaxed);  // relaxed: a flag; drains interrupt repeatedly
}

void Site::interrupt_connections() noexcept {
  const std::scoped_lock lock(mutex_);
  const bool spares = !draining() || std::chrono::steady_clock::now() < opening_until_;
  for (const auto& [task, connection] : connections_) {
    if (connection->open() || !spares) connection->wire().interrupt_read();
  }
}

std::vector<ConnectionInfo> Site::connections(std::size_t count_max) const {
  std::vector<ConnectionInfo> infos;
  infos.reserve(count_max);  // not under the lock
  const std::scoped_lock lock(mutex_);
  for (const auto& [task, connection] : connections_) {
    if (infos.size() == count_max) break;
    infos.push_back(connection->info());
  }
  return infos;
}

void Site::measure() {
  VOLT_CHECK(connection_count() == 0);
  traffic_ = std::make_unique<Traffic>(service.route_count(), shelves_.size());
}

std::optional<std::uint32_t> Site::route_of(TaskId task) const noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = connections_.find(task);
  return found == connections_.end() ? std::nullopt : found->second->last_route();
}

void Site::count_stall(TaskId task) noexcept {
  if (traffic_) traffic_->count_stall(route_of(task).value_or(traffic_->no_route()));
}

}  // namespace volt::http::server
