// SPDX-License-Identifier: MIT

#include "http/ops/internal/reports.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "http/ops/internal/seconds.h"

namespace volt::http::ops {
namespace {

std::optional<std::string> pattern_of(const MonitoredServer& watched, std::optional<std::uint32_t> route) {
  return route ? std::optional(watched.pattern(*route)) : std::nullopt;
}

std::string_view doing(const TaskInfo& task) {
  return task.phase == TaskPhase::waiting ? to_string(task.waits_for) : to_string(task.phase);
}

TasksReport tasks_report(const MonitoredServer& watched, const TaskReport& now) {
  std::unordered_map<TaskId, std::optional<std::uint32_t>> serving;
  for (const auto& connection : watched.server_state->connections(kShownMax))
    serving[connection.task] = connection.route;
  TasksReport report{.live = now.live};
  for (const TaskInfo& task : now.tasks) {
    TaskLine line{.id = task.id, .phase = std::string(to_string(task.phase)), .seconds = seconds(task.since)};
    if (task.phase == TaskPhase::waiting) line.waits_for = to_string(task.waits_for);
    line.cancelled = task.cancelled;
    line.function = task.function;
    line.detached_at = task.detached_at;
    if (const auto found = serving.find(task.id); found != serving.end()) {
      line.connection = true;
      line.route = pattern_of(watched, found->second);
    }
    report.tasks.push_back(std::move(line));
  }
  return report;
}

}  // namespace

RoutesReport routes_report(const MonitoredServer& watched) {
  RoutesReport report;
  for (const route::RouteInfo& route : watched.routes) {
    report.routes.push_back({.method = std::string(route.method ? to_string(*route.method) : ""),
                             .host = route.host,
                             .pattern = route.pattern,
                             .origin = route.origin});
  }
  return report;
}

TasksReport tasks_report(const MonitoredServer& watched) {
  return tasks_report(watched, watched.runtime.tasks(kShownMax));
}

TasksReport await_chains_report(const MonitoredServer& watched) {
  TaskReport now = watched.runtime.tasks_with_awaits(kShownMax);
  TasksReport report = tasks_report(watched, now);
  for (std::size_t i = 0; i != now.tasks.size(); ++i) {
    auto& lines = report.tasks[i].awaits.emplace();
    for (AwaitInfo& await : now.tasks[i].awaits) lines.push_back({std::move(await.function), std::move(await.at)});
  }
  return report;
}

ConnectionsReport connections_report(const MonitoredServer& watched) {
  ConnectionsReport report{.open = watched.server_state->connection_count()};
  std::unordered_map<TaskId, std::string_view> doings;
  for (const TaskInfo& task : watched.runtime.tasks(kShownMax).tasks) doings[task.id] = doing(task);
  for (auto& connection : watched.server_state->connections(kShownMax)) {
    ConnectionLine line{.client = std::move(connection.client), .age_seconds = seconds(connection.age)};
    if (connection.route) {
      const auto found = doings.find(connection.task);
      line.state = found != doings.end() ? found->second : "under way";
    } else {
      line.state = connection.open ? "idle" : "opening";
    }
    line.requests = connection.requests;
    line.route = pattern_of(watched, connection.route);
    line.task = connection.task;
    report.connections.push_back(std::move(line));
  }
  return report;
}

}  // namespace volt::http::ops
