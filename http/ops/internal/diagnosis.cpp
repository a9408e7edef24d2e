// SPDX-License-Identifier: MIT

#include "http/ops/internal/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace volt::http::ops {
namespace {

constexpr double kBusyShare = 0.9;          // of the processors: the server is saturated
constexpr double kFullShare = 0.9;          // of a limit: it is nearly reached
constexpr double kThrottledShare = 0.05;    // of the time: users notice it
constexpr double kDelayedShare = 0.2;       // of the time of all workers
constexpr double kFailedShare = 0.01;       // of the responses of a route
constexpr double kNamedShare = 0.1;         // of the stalls of the route that has most: a route is named
constexpr std::size_t kRoutesNamedMax = 3;  // in one sentence

class Comparison {
 public:
  Comparison(const PageSnapshot& before, const PageSnapshot& now, std::span<const route::RouteInfo> routes)
      : before_(before), now_(now), routes_(routes), elapsed_(std::max(now.at_seconds - before.at_seconds, 0.001)) {}

  std::vector<Finding> findings() {
    check_state();
    check_conditions();
    check_overload();
    check_failures();
    check_limits();
    check_blocked_handlers();
    check_processors();
    check_lost_processors();
    return std::move(findings_);
  }

 private:
  static int rank(std::string_view severity) { return severity == "error" ? 0 : severity == "warning" ? 1 : 2; }

  // Adds the finding after those that are as grave.
  void add(std::string_view severity, std::string text) {
    const auto rank_of = [](const Finding& finding) { return rank(finding.severity); };
    const auto place = std::ranges::upper_bound(findings_, rank(severity), {}, rank_of);
    findings_.insert(place, {std::string(severity), std::move(text)});
  }

  // "12 requests per second", rounded up, so that a rate above 0 is never shown as 0.
  [[nodiscard]] std::string rate(std::uint64_t from, std::uint64_t to, std::string_view what) const {
    const auto per_second = static_cast<std::uint64_t>(std::ceil(static_cast<double>(to - from) / elapsed_));
    return std::to_string(per_second) + ' ' + std::string(what) + " per second";
  }

  [[nodiscard]] std::string route_name(std::uint32_t index) const {
    if (index >= routes_.size()) return "requests without a route";
    const route::RouteInfo& route = routes_[index];
    const std::string method(route.method ? to_string(*route.method) : "any method");
    return method + ' ' + route.host + route.pattern;
  }

  [[nodiscard]] const RouteSnapshot* earlier(std::uint32_t route) const {
    const auto found = std::ranges::find(before_.routes, route, &RouteSnapshot::route);
    return found == before_.routes.end() ? nullptr : &*found;
  }

  // The names of the routes with the largest values, the largest first: "GET /a, GET /b and 2 more".
  [[nodiscard]] std::string names(std::vector<std::pair<std::uint64_t, std::uint32_t>> values) const {
    std::ranges::sort(values, std::greater());
    std::string text;
    for (std::size_t i = 0; i != std::min(values.size(), kRoutesNamedMax); ++i) {
      text += (i == 0 ? "" : ", ") + route_name(values[i].second);
    }
    if (values.size() > kRoutesNamedMax) text += " and " + std::to_string(values.size() - kRoutesNamedMax) + " more";
    return text;
  }

  void check_state() {
    if (now_.state == "starting") add("note", "The server is starting: it is not ready yet.");
    if (now_.state == "draining") add("note", "The server is draining: it ends when its requests have ended.");
  }

  void check_conditions() {
    for (const std::string& condition : now_.unmet) {
      add("error", "Not ready (/readyz responds 503): the condition " + condition);
    }
  }

  void check_overload() {
    const RefusedSnapshot& from = before_.refused;
    const RefusedSnapshot& to = now_.refused;
    if (to.queue_delay != from.queue_delay) {
      add("error", "Overload: " + rate(from.queue_delay, to.queue_delay, "requests") +
                       " are refused, because they waited longer than server.queue_delay_max. Add processors or "
                       "replicas, or make the routes cheaper that take most time.");
    }
    if (to.heavy_delay != from.heavy_delay) {
      add("error", "Overload of heavy routes: " + rate(from.heavy_delay, to.heavy_delay, "requests") +
                       " are refused, because those before them take too long. Add processors or replicas.");
    }
    if (to.memory != from.memory) {
      add("error", "Memory is short: " + rate(from.memory, to.memory, "requests") +
                       " are refused. Raise the memory limit, or lower the limits of bodies and responses.");
    }
    if (to.client_connections != from.client_connections) {
      add("warning", "One client has too many connections: " +
                         rate(from.client_connections, to.client_connections, "connections") +
                         " are reset (server.connections_per_client_max).");
    }
    if (to.connections != from.connections) {
      add("error",
          "New connections wait, because the maximum number of connections is reached "
          "(server.connections_max or the limit of descriptors).");
    }
  }

  void check_failures() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> failing;
    for (const RouteSnapshot& route : now_.routes) {
      const RouteSnapshot* const was = earlier(route.route);
      const std::uint64_t failed = route.failed - (was ? was->failed : 0);
      const std::uint64_t requests = route.requests - (was ? was->requests : 0);
      if (failed != 0 && static_cast<double>(failed) >= kFailedShare * static_cast<double>(requests)) {
        failing.emplace_back(failed, route.route);
      }
    }
    if (failing.empty() || now_.refused.total() != before_.refused.total()) return;  // what is refused has a 5xx, too
    add("error",
        "Requests fail: " + names(std::move(failing)) + " responded with a 5xx status. The log has the cause.");
  }

  void check_limits() {
    const auto nearly = [](std::uint64_t value, std::uint64_t limit) {
      return limit != 0 && static_cast<double>(value) >= kFullShare * static_cast<double>(limit);
    };
    if (nearly(now_.open_descriptors, now_.descriptors_max)) {
      add("warning", "Descriptors are nearly used up: " + std::to_string(now_.open_descriptors) + " of " +
                         std::to_string(now_.descriptors_max) + ". Raise the limit (ulimit -n, LimitNOFILE).");
    }
    if (now_.blocking_queue != 0 && before_.blocking_queue != 0) {
      add("warning", std::to_string(now_.blocking_queue) +
                         " calls wait for a thread of the blocking pool, of which all " +
                         std::to_string(now_.blocking_threads) +
                         " are in use: what they call (disk, database, name lookup) is slow.");
    }
  }

  void check_blocked_handlers() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> blocking;
    for (const RouteSnapshot& route : now_.routes) {
      const RouteSnapshot* const was = earlier(route.route);
      if (const std::uint64_t stalls = route.stalls - (was ? was->stalls : 0); stalls != 0) {
        blocking.emplace_back(stalls, route.route);
      }
    }
    if (blocking.empty()) return;
    // A few stalls may be counted for requests that did not cause them.
    const std::uint64_t most = std::ranges::max(blocking).first;
    std::erase_if(blocking, [most](const auto& it) {
      return static_cast<double>(it.first) < kNamedShare * static_cast<double>(most);
    });
    add("warning", "Handlers block their workers: " + names(std::move(blocking)) +
                       ". Move long computations and blocking calls to blocking().");
  }

  [[nodiscard]] static double run_delay_seconds(const PageSnapshot& snapshot) {
    double sum = 0;
    for (const WorkerSnapshot& worker : snapshot.workers) sum += worker.run_delay_seconds;
    return sum;
  }

  static std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

  void check_lost_processors() {
    const double throttled = now_.throttled_seconds.value_or(0) - before_.throttled_seconds.value_or(0);
    if (throttled >= kThrottledShare * elapsed_) {
      add("warning", "Throttled: the CPU quota of the container or cgroup has stopped the process for " +
                         percent(throttled / elapsed_) + " of the time. Raise the quota, or add replicas.");
      return;
    }
    const double delayed = run_delay_seconds(now_) - run_delay_seconds(before_);
    const double whole = elapsed_ * static_cast<double>(std::max<std::size_t>(1, now_.workers.size()));
    if (delayed < kDelayedShare * whole) return;
    add("warning", "The workers wait for a processor for " + percent(delayed / whole) +
                       " of the time, which other processes or other threads of this one use.");
  }

  void check_processors() {
    const double used = (now_.cpu_seconds - before_.cpu_seconds) / elapsed_;
    if (used < kBusyShare * static_cast<double>(now_.workers.size())) return;
    add("warning", "Saturated: all processors that the workers may use (" + std::to_string(now_.workers.size()) +
                       ") are busy. Response times rise with each further request.");
  }

  const PageSnapshot& before_;
  const PageSnapshot& now_;
  const std::span<const route::RouteInfo> routes_;
  const double elapsed_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> diagnose(const PageSnapshot& before, const PageSnapshot& now,
                              std::span<const route::RouteInfo> routes) {
  return Comparison(before, now, routes).findings();
}

}  // namespace volt::http::ops
