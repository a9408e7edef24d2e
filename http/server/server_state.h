// ServerState: what all connections of a server share.
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
#include "http/server/internal/connection_entry.h"
#include "http/server/internal/overload.h"
#include "http/server/internal/request_context.h"
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
struct RequestContextPool {
  RequestContextPool() { contexts.reserve(kContextsMax); }

  static constexpr std::size_t kContextsMax = 256;  // beyond it, contexts that come back are freed
  std::vector<std::unique_ptr<RequestContext>> contexts;
  DateCache date;
};

class ServerState {
 public:
  ServerState(App app, ServerOptions server_options, std::uint32_t workers)
      : service(std::move(app).release()),
        options(server_options),
        placement(workers),
        overload(options),
        worker_count_(workers),
        pools_(workers) {}

  const Service service;
  const ServerOptions options;
  Placement placement;
  Overload overload;

  // The calling worker's.
  [[nodiscard]] std::unique_ptr<RequestContext> take_request_context();
  void put_request_context(std::unique_ptr<RequestContext> request_context) noexcept;
  [[nodiscard]] std::string_view date() noexcept { return pools_.local().date.view(coarse_now()); }

  // The end in two steps, both sticky; any thread. Announced: every further answer closes its connection.
  void announce_drain() noexcept { announced_.store(true, base::relaxed); }                       // relaxed: a flag
  [[nodiscard]] bool drain_announced() const noexcept { return announced_.load(base::relaxed); }  // relaxed: as above
  // Draining: besides, idle connections end.
  void start_drain() noexcept;
  [[nodiscard]] bool draining() const noexcept { return draining_.load(base::relaxed); }  // relaxed: as above

  // How long a connection may idle, as things are.
  [[nodiscard]] std::chrono::milliseconds idle_timeout() const noexcept {
    return overload.under_connection_pressure() ? std::min(options.idle_timeout, options.pressure_idle_timeout)
                                                : options.idle_timeout;
  }

  // The open connections. Any thread.
  void add_connection(ConnectionEntry& connection);
  void remove_connection(ConnectionEntry& connection) noexcept;
  [[nodiscard]] std::size_t connection_count() const noexcept;
  // At most that many of them, in no order. Whoever opens or closes one meanwhile may wait: some 300 ns a connection.
  [[nodiscard]] std::vector<ConnectionInfo> connections(std::size_t count_max) const;
  // Ends the waits of those that wait to read, so that they look at draining() and idle_timeout(). Those that are still
  // coming to terms with their transport, to which that is a failure, are spared, once draining for
  // ServerOptions::drain_idle_timeout only.
  void interrupt_connections() noexcept;

  // Counts requests from now on. Before there are connections.
  void measure();
  // Null if nobody measures.
  [[nodiscard]] Traffic* traffic() const noexcept { return traffic_.get(); }
  // What the task is busy for, if it serves a connection (ConnectionEntry::last_route). Any thread.
  [[nodiscard]] std::optional<std::uint32_t> route_of(TaskId task) const noexcept;
  // A worker is stuck in the task: counted for its route, if somebody measures. Any thread.
  void count_stall(TaskId task) noexcept;

 private:
  const std::uint32_t worker_count_;
  PerWorker<RequestContextPool> pools_;
  base::Atomic<bool> announced_{false};
  base::Atomic<bool> draining_{false};
  mutable std::mutex mutex_;
  std::unordered_map<TaskId, ConnectionEntry*> connections_;  // under mutex_
  std::chrono::steady_clock::time_point opening_until_;       // the same: of connections, once draining
  std::unique_ptr<Traffic> traffic_;
};

// An request_context, or none, that goes back to the pool of whichever worker its connection is on.
class RequestContextLease {
 public:
  explicit RequestContextLease(ServerState& server_state) noexcept : server_state_(server_state) {}
  ~RequestContextLease() { give_back(); }
  RequestContextLease(const RequestContextLease&) = delete;
  RequestContextLease& operator=(const RequestContextLease&) = delete;

  void take() {
    if (!context_) context_ = server_state_.take_request_context();
  }
  void give_back() noexcept {
    if (context_) server_state_.put_request_context(std::move(context_));
  }
  [[nodiscard]] explicit operator bool() const noexcept { return context_ != nullptr; }
  [[nodiscard]] RequestContext* operator->() const noexcept { return context_.get(); }
  [[nodiscard]] RequestContext& operator*() const noexcept { return *context_; }

 private:
  ServerState& server_state_;
  std::unique_ptr<RequestContext> context_;
};

}  // namespace volt::http::server
