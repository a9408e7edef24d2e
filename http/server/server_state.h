// SPDX-License-Identifier: MIT

// ServerState: the state that all connections of a server share.
//
// Threads: any worker, unless a member says otherwise. Lifetime: shared by the server and its connections; destroyed
// with the last of them.
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
#include "http/server/app_hooks.h"
#include "http/server/internal/connection_entry.h"
#include "http/server/internal/connection_metrics.h"
#include "http/server/internal/overload.h"
#include "http/server/internal/request_context.h"
#include "http/server/internal/request_context_pool.h"
#include "http/server/internal/service.h"
#include "http/server/internal/traffic.h"
#include "http/server/options.h"
#include "http/server/readiness_checks.h"
#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/per_worker.h"
#include "runtime/placement.h"

namespace volt::http::server {

// The Date field of responses, composed once a second.
class DateCache {
 public:
  // The value of the Date field; valid until the next call. Differs from the wall clock by at most a second, even after
  // the wall clock has been set.
  [[nodiscard]] std::string_view view(std::chrono::nanoseconds monotonic_now) noexcept;

 private:
  message::HttpDate date_{std::chrono::sys_seconds{}};
  std::chrono::nanoseconds next_{0};
};

// Returns the definition of the app with AppHooks::outermost around its own middleware.
[[nodiscard]] std::unique_ptr<AppDefinition> with_outermost(App app);

class ServerState {
 public:
  // `workers` and `worker_slots` are those of the runtime.
  ServerState(App app, ServerOptions server_options, std::uint32_t workers, std::uint32_t worker_slots,
              bool traces_connections = false)
      : readiness(app.hooks()->readiness),
        service(with_outermost(std::move(app))),
        options(server_options),
        trace_connections(traces_connections),
        placement(workers),
        overload(options, worker_slots),
        workers_(workers),
        worker_slots_(worker_slots),
        of_workers_(worker_slots) {}

  const ReadinessChecks readiness;  // App::ready_when()
  const Service service;
  const ServerOptions options;
  const bool trace_connections;  // Each transition of a connection's state is logged (connection.h).
  Placement placement;
  Overload overload;
  RefusedConnections refused;

  // take_request_context() takes a context from the pool of the calling worker, and throws std::bad_alloc.
  // put_request_context() puts a context into the pool of the calling worker, which may be another worker by then; a
  // spare worker frees it.
  [[nodiscard]] std::unique_ptr<RequestContext> take_request_context();
  void put_request_context(std::unique_ptr<RequestContext> request_context) noexcept;
  [[nodiscard]] std::string_view date() noexcept { return of_workers_.local().date.view(coarse_now()); }

  // The first step of a graceful shutdown: every further response closes its connection. Cannot be undone. Any thread.
  void announce_drain() noexcept { announced_.store(true, base::relaxed); }                       // relaxed: a flag
  [[nodiscard]] bool drain_announced() const noexcept { return announced_.load(base::relaxed); }  // relaxed: as above
  // The second step of a graceful shutdown: idle connections are closed, too. Cannot be undone. Any thread.
  void start_drain() noexcept;
  [[nodiscard]] bool draining() const noexcept { return draining_.load(base::relaxed); }  // relaxed: as above

  // Returns how long a connection may currently be idle. The time is shorter while other connections wait for a place.
  [[nodiscard]] std::chrono::milliseconds idle_timeout() const noexcept {
    return overload.under_connection_pressure() ? std::min(options.idle_timeout, options.pressure_idle_timeout)
                                                : options.idle_timeout;
  }

  // The open connections. Any thread. add_connection() throws std::bad_alloc.
  void add_connection(ConnectionEntry& connection);
  void remove_connection(ConnectionEntry& connection) noexcept;
  [[nodiscard]] std::size_t connection_count() const noexcept;
  // Returns up to `count_max` connections, in no particular order. While it runs, other threads cannot open or close
  // connections.
  [[nodiscard]] std::vector<ConnectionInfo> connections(std::size_t count_max) const;
  // Interrupts the waits of connections that wait to read, so that they notice draining() and idle_timeout(). Leaves
  // connections in a handshake alone, because an interrupt would make the handshake fail. While the server drains, they
  // are left alone only for ServerOptions::drain_idle_timeout.
  void interrupt_connections() noexcept;

  // Lists a connection that lingers after its last response, until it is removed. Lingering connections may take only a
  // part of the places: if they take more, the connection that has lingered longest is told to close. Any thread.
  void add_lingering(ConnectionEntry& connection) noexcept;

  // Counts requests from now on. Must be called before there are connections.
  void measure();
  // Null unless measure() has been called.
  [[nodiscard]] Traffic* traffic() const noexcept { return traffic_.get(); }
  // Returns the request on which the task spent `charged` (ConnectionEntry::request_during). Nothing if the task
  // does not serve a connection, and served none that was closed a moment ago. Any thread. Throws std::bad_alloc.
  [[nodiscard]] std::optional<RunningRequest> request_during(TaskId task, std::chrono::steady_clock::time_point from,
                                                             std::chrono::steady_clock::time_point until,
                                                             std::chrono::nanoseconds charged) const;

 private:
  // The last long request of a connection that was closed.
  struct ClosedRequest {
    TaskId task = 0;
    TimedRequest timed = {};
  };
  // State that the connections of one worker share.
  struct OfWorker {
    RequestContextPool pool;
    DateCache date;
  };
  static constexpr std::size_t kClosedMax = 32;  // as many connections may be closed until the watchdog reports a stall

  const std::uint32_t workers_;
  const std::uint32_t worker_slots_;
  PerWorker<OfWorker> of_workers_;
  base::Atomic<bool> announced_{false};
  base::Atomic<bool> draining_{false};
  mutable std::mutex mutex_;
  std::unordered_map<TaskId, ConnectionEntry*> connections_;  // under mutex_
  base::List<ConnectionEntry> lingering_;                     // under mutex_: in the order in which they began
  std::size_t lingering_count_ = 0;                           // under mutex_
  std::chrono::steady_clock::time_point opening_until_;       // under mutex_: during a drain, spares handshakes
  std::unique_ptr<Traffic> traffic_;
  std::vector<ClosedRequest> closed_;  // under mutex_: a ring
  std::size_t next_closed_ = 0;        // under mutex_: index of the oldest
};

// Lists a connection's entry with the server while this object exists.
class ConnectionRegistration {
 public:
  // Throws std::bad_alloc.
  ConnectionRegistration(ServerState& server_state, ConnectionEntry& entry)
      : server_state_(server_state), entry_(entry) {
    server_state_.add_connection(entry_);
  }
  ~ConnectionRegistration() { server_state_.remove_connection(entry_); }
  ConnectionRegistration(const ConnectionRegistration&) = delete;
  ConnectionRegistration& operator=(const ConnectionRegistration&) = delete;

 private:
  ServerState& server_state_;
  ConnectionEntry& entry_;
};

// Owns a RequestContext or none. give_back() and the destructor return it to the pool of the calling worker.
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
