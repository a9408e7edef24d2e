// Site: what all connections of a server share.
//
// Threads: any worker; each member says how. Lifetime: shared by the server and its connections, so the last goes last.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "http/message/http_date.h"
#include "http/server/app.h"
#include "http/server/internal/connection_record.h"
#include "http/server/internal/exchange.h"
#include "http/server/internal/overload.h"
#include "http/server/internal/service.h"
#include "http/server/internal/traffic.h"
#include "http/server/options.h"
#include "runtime/base/atomic.h"
#include "runtime/per_worker.h"
#include "runtime/placement.h"

namespace volt::http::server {

// The Date of answers, composed once a second.
class DateCache {
 public:
  // Valid until the next call. Right to within a second of the wall clock, whatever that does.
  [[nodiscard]] std::string_view view(std::chrono::nanoseconds monotonic_now) noexcept;

 private:
  message::HttpDate date_{std::chrono::sys_seconds{}};
  std::chrono::nanoseconds next_{0};
};

// One worker's supplies.
struct Shelf {
  Shelf() { exchanges.reserve(kExchangesMax); }

  static constexpr std::size_t kExchangesMax = 256;  // beyond it, exchanges that come back are freed
  std::vector<std::unique_ptr<Exchange>> exchanges;
  DateCache date;
};

class Site {
 public:
  Site(App app, ServerOptions server_options, std::uint32_t workers)
      : service(std::move(app).release()),
        options(server_options),
        placement(workers),
        overload(options),
        shelves_(workers) {}

  const Service service;
  const ServerOptions options;
  Placement placement;
  Overload overload;

  // The calling worker's.
  [[nodiscard]] std::unique_ptr<Exchange> take_exchange();
  void put_exchange(std::unique_ptr<Exchange> exchange) noexcept;
  [[nodiscard]] std::string_view date() noexcept { return shelves_.local().date.view(coarse_now()); }

  // The end in two steps, both sticky; any thread. Announced: every further answer closes its connection.
  void announce_drain() noexcept { announced_.store(true, base::relaxed); }                       // relaxed: a flag
  [[nodiscard]] bool drain_announced() const noexcept { return announced_.load(base::relaxed); }  // relaxed: as above
  // Draining: besides, idle connections end.
  void start_drain() noexcept;
  [[nodiscard]] bool draining() const noexcept { return draining_.load(base::relaxed); }  // relaxed: as above

  // How long a connection may idle, as things are.
  [[nodiscard]] std::chrono::milliseconds idle_timeout() const noexcept {
    return overload.crowded() ? std::min(options.idle_timeout, options.crowded_idle_timeout) : options.idle_timeout;
  }

  // The open connections. Any thread.
  void add_connection(ConnectionRecord& connection);
  void remove_connection(ConnectionRecord& connection) noexcept;
  [[nodiscard]] std::size_t connection_count() const noexcept;
  // At most that many of them, in no order. Whoever opens or closes one meanwhile may wait: some 300 ns a connection.
  [[nodiscard]] std::vector<ConnectionInfo> connections(std::size_t count_max) const;
  // Ends the waits of those that wait to read, so that they look at draining() and idle_timeout(). Those that are still
  // coming to terms with their transport, to which that is a failure, are spared, once draining for
  // ServerOptions::drain_linger only.
  void interrupt_connections() noexcept;

  // Counts requests from now on. Before there are connections.
  void measure();
  // Null if nobody measures.
  [[nodiscard]] Traffic* traffic() const noexcept { return traffic_.get(); }
  // What the task is busy for, if it serves a connection (ConnectionRecord::last_route). Any thread.
  [[nodiscard]] std::optional<std::uint32_t> route_of(TaskId task) const noexcept;
  // A worker is stuck in the task: counted for its route, if somebody measures. Any thread.
  void count_stall(TaskId task) noexcept;

 private:
  PerWorker<Shelf> shelves_;
  base::Atomic<bool> announced_{false};
  base::Atomic<bool> draining_{false};
  mutable std::mutex mutex_;
  std::unordered_map<TaskId, ConnectionRecord*> connections_;  // under mutex_
  std::chrono::steady_clock::time_point opening_until_;        // the same: of connections, once draining
  std::unique_ptr<Traffic> traffic_;
};

// An exchange, or none, that goes back to the shelf of whichever worker its connection is on.
class ExchangeLease {
 public:
  explicit ExchangeLease(Site& site) noexcept : site_(site) {}
  ~ExchangeLease() { give_back(); }
  ExchangeLease(const ExchangeLease&) = delete;
  ExchangeLease& operator=(const ExchangeLease&) = delete;

  void take() {
    if (!exchange_) exchange_ = site_.take_exchange();
  }
  void give_back() noexcept {
    if (exchange_) site_.put_exchange(std::move(exchange_));
  }
  [[nodiscard]] explicit operator bool() const noexcept { return exchange_ != nullptr; }
  [[nodiscard]] Exchange* operator->() const noexcept { return exchange_.get(); }
  [[nodiscard]] Exchange& operator*() const noexcept { return *exchange_; }

 private:
  Site& site_;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace volt::http::server
