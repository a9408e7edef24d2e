// SPDX-License-Identifier: MIT

// The reports of /routes, /tasks, /debug/tasks and /connections: values that are written as JSON.
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

// Maximum number of tasks or connections in a report. It is bounded because composing a report blocks the threads that
// serve.
inline constexpr std::size_t kShownMax = 1000;

struct RouteLine {
  std::string method;  // empty: any method
  std::string host;    // empty: any host
  std::string pattern;
  std::string origin;  // the source line that added it: "main.cpp:12"
};
struct RoutesReport {
  std::vector<RouteLine> routes;
};
[[nodiscard]] RoutesReport routes_report(const MonitoredServer& watched);

struct AwaitLine {
  std::string function;
  std::string at;  // the place of the co_await: "main.cpp:40"; empty: unknown
};
struct TaskLine {
  std::uint64_t id = 0;
  std::string phase;                     // running, queued, waiting
  std::optional<std::string> waits_for;  // only if the phase is waiting
  double seconds = 0;                    // since the task was last resumed
  bool cancelled = false;
  bool connection = false;           // the task serves a connection
  std::optional<std::string> route;  // the pattern of the request in progress; empty: no route
  std::string function;              // its coroutine function; empty if the program was stripped
  std::string detached_at;           // where it was detached: "main.cpp:40"; empty: nowhere
  std::optional<std::vector<AwaitLine>>
      awaits;  // of /debug/tasks: the innermost coroutine first; empty unless it waits
};
struct TasksReport {
  std::uint64_t live = 0;
  std::vector<TaskLine> tasks;  // at most kShownMax
};
[[nodiscard]] TasksReport tasks_report(const MonitoredServer& watched);
// The report with the chains of awaits.
[[nodiscard]] TasksReport await_chains_report(const MonitoredServer& watched);

struct ConnectionLine {
  std::string
      client;  // the address, as reported by a load balancer if there is one; empty: not known yet, or disconnected
  double age_seconds = 0;
  std::string state;  // opening or idle; during a request: running, queued, or what its task waits for
  std::uint64_t requests = 0;
  std::optional<std::string> route;  // the pattern of the request in progress; empty: no route
  std::uint64_t task = 0;
};
struct ConnectionsReport {
  std::uint64_t open = 0;
  std::vector<ConnectionLine> connections;  // at most kShownMax
};
[[nodiscard]] ConnectionsReport connections_report(const MonitoredServer& watched);

}  // namespace volt::http::ops
