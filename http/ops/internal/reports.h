// What /routes, /tasks, /connections and /events say, as the values that become their JSON.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/ops/internal/monitored_server.h"

namespace volt::http::ops {

// Of tasks and connections. Those that serve must wait while they are looked at, so not for ever.
inline constexpr std::size_t kShownMax = 1000;

struct RouteLine {
  std::string method;  // empty: any
  std::string host;    // empty: any
  std::string pattern;
  std::string origin;  // where it was added: "main.cpp:12"
};
struct RoutesReport {
  std::vector<RouteLine> routes;
};
[[nodiscard]] RoutesReport routes_report(const MonitoredServer& watched);

struct TaskLine {
  std::uint64_t id = 0;
  std::string phase;                     // running, queued, waiting
  std::optional<std::string> waits_for;  // if it waits
  double seconds = 0;                    // since its last turn began
  bool cancelled = false;
  bool connection = false;           // it serves one
  std::optional<std::string> route;  // of the request that it has under way; empty: no route
};
struct TasksReport {
  std::uint64_t live = 0;
  std::vector<TaskLine> tasks;  // at most kShownMax
};
[[nodiscard]] TasksReport tasks_report(const MonitoredServer& watched);

struct ConnectionLine {
  std::string client;  // as a balancer in front has named it; empty: not known yet, or gone
  double age_seconds = 0;
  std::string state;  // opening, idle; or if it has a request under way: running, queued, what it waits for
  std::uint64_t requests = 0;
  std::optional<std::string> route;  // of the request that is under way; empty: no route
  std::uint64_t task = 0;
};
struct ConnectionsReport {
  std::uint64_t open = 0;
  std::vector<ConnectionLine> connections;  // at most kShownMax
};
[[nodiscard]] ConnectionsReport connections_report(const MonitoredServer& watched);

}  // namespace volt::http::ops
