// SPDX-License-Identifier: MIT

#include "http/ops/internal/service.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/middleware/security.h"
#include "http/ops/internal/diagnosis.h"
#include "http/ops/internal/history.h"
#include "http/ops/internal/identity.h"
#include "http/ops/internal/metrics_text.h"
#include "http/ops/internal/page.h"
#include "http/ops/internal/prometheus_text.h"
#include "http/ops/internal/recordings.h"
#include "http/ops/internal/reports.h"
#include "http/ops/internal/snapshot.h"
#include "http/ops/internal/trusted_host.h"
#include "http/server/readiness_checks.h"
#include "http/web/event_stream.h"
#include "http/web/extract.h"
#include "runtime/blocking.h"
#include "runtime/logger.h"
#include "runtime/time.h"

namespace volt::http::ops {
namespace {

constexpr auto kSnapshotInterval = std::chrono::seconds(1);
constexpr std::size_t kSnapshotsCompared = 10;  // the findings are about the last ten seconds
constexpr std::size_t kPagesMax = 16;           // maximum number of open status pages that receive events
constexpr auto kAskAgain = std::chrono::seconds(30);
constexpr Logger kConfigLog("config");

Response not_ready(std::string text) {
  Response response = Response::text(std::move(text), Status::service_unavailable);
  response.header("Retry-After", "1");
  return response;
}

Task<Response> readiness(const MonitoredServer& watched) {
  if (const Readiness::State state = watched.state(); state != Readiness::State::ready) {
    co_return not_ready(std::string(to_string(state)) + '\n');
  }
  const auto failures = co_await server::failing_checks(watched.server_state->readiness, watched.runtime);
  std::string text;
  for (const server::ReadinessFailure& failure : failures) {
    text.append("not ready: ").append(failure.check).append(": ").append(failure.reason).append("\n");
  }
  if (!text.empty()) co_return not_ready(std::move(text));
  co_return Response::text(std::string(to_string(Readiness::State::ready)) + '\n');
}

// Counts an open status page. The counter is not atomic, because the ops server has only one worker.
class OpenPage {
 public:
  explicit OpenPage(std::size_t& count) : count_(count) { ++count_; }
  ~OpenPage() { --count_; }
  OpenPage(const OpenPage&) = delete;
  OpenPage& operator=(const OpenPage&) = delete;

 private:
  std::size_t& count_;
};

Task<> send_snapshots(EventStream& out, const MonitoredServer& watched, std::size_t& pages) {
  if (pages == kPagesMax) {
    EventStream::Event later{.retry = kAskAgain};
    co_await out.send(std::move(later));
    co_return;
  }
  const OpenPage drawn(pages);
  std::deque<PageSnapshot> recent;
  PhaseWindow phases(kSnapshotsCompared);
  const server::ReadinessChecks& checks = watched.server_state->readiness;
  for (;;) {
    // The next snapshot has their results: an event does not wait for a check that is slow.
    if (!checks.empty()) co_await blocking([&] { server::start_checks(checks, watched.runtime); });
    if (recent.size() > kSnapshotsCompared) recent.pop_front();
    recent.push_back(snapshot(watched));
    const PageUpdate update{.snapshot = recent.back(),
                            .findings = diagnose(recent.front(), recent.back(), watched.routes),
                            .tables = page_tables(watched, phases)};
    co_await out.send(to_json(update));
    co_await sleep_for(kSnapshotInterval);
  }
}

Task<> keep_history(const MonitoredServer& watched, std::shared_ptr<History> history) {
  for (;;) {
    history->add(snapshot(watched));
    co_await sleep_for(History::kInterval);
  }
}

Response log_levels(const MonitoredServer& watched) { return Response::text(watched.runtime.log().levels() + '\n'); }

// The line is written before the change, which may be to switch the log off.
Response set_log_levels(const MonitoredServer& watched, const Request& request) {
  Log& log = watched.runtime.log();
  if (const auto valid = Log().set_levels(request.body()); !valid)
    return Response::text(valid.error() + '\n', Status::bad_request);
  kConfigLog(LogLevel::info, "log levels are changed", {{"from", log.levels()}, {"to", request.body()}});
  static_cast<void>(log.set_levels(request.body()));
  return log_levels(watched);
}

// Keeps caches from storing responses, because they are soon outdated, and pages of other sites from embedding them,
// because they are not public.
Task<Response> keep_private(Request& request, Next next) {
  Response response = co_await next(request);
  response.header("Cache-Control", "no-store").header("Cross-Origin-Resource-Policy", "same-origin");
  co_return response;
}

}  // namespace

App make_service(const MonitoredServer& watched, const OpsOptions& options) {
  App app;
  app.use(security_headers({.referrer_policy = "no-referrer", .content_security_policy = kPagePolicy}), keep_private,
          require_trusted_host(options.allowed_hosts));
  app.get("/", page);
  app.get("/page.css", page_style);
  app.get("/page.js", page_script);
  app.get("/healthz", [] { return Response::fixed("ok\n"); });
  app.get("/readyz", [&watched] { return readiness(watched); });
  app.get("/metrics", [&watched] { return Response().body(metrics_text(watched), PrometheusText::kContentType); });
  app.get("/routes", [&watched] { return routes_report(watched); });
  app.get("/tasks", [&watched] { return tasks_report(watched); });
  app.get("/connections", [&watched] { return connections_report(watched); });
  app.get("/identity", [facts = identity(options)] { return facts; });
  app.get("/debug/heap", report_heap);
  app.get("/debug/profile", [&watched](Query<RecordingTime> time) { return record_profile(watched, *time); });
  app.get("/debug/tasks", [&watched] { return await_chains_report(watched); });
  app.get("/debug/trace", [&watched](Query<RecordingTime> time) { return record_timeline(watched, *time); });
  const auto history = std::make_shared<History>();
  app.background([&watched, history] { return keep_history(watched, history); });
  app.get("/history", [history] { return history->report(); });
  app.get("/log/levels", [&watched] { return log_levels(watched); });
  app.put("/log/levels", [&watched](const Request& request) { return set_log_levels(watched, request); });
  const auto pages = std::make_shared<std::size_t>(0);
  app.get("/events", [&watched, pages](EventStream& out) { return send_snapshots(out, watched, *pages); });
  return app;
}

}  // namespace volt::http::ops
