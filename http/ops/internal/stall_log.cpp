// SPDX-License-Identifier: MIT

#include "http/ops/internal/stall_log.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/web/http_log.h"
#include "runtime/base/function_name.h"
#include "runtime/log.h"
#include "runtime/task.h"

namespace volt::http::ops {
namespace {

constexpr auto kToLog = std::chrono::milliseconds(50);  // a delay that users notice
constexpr auto kLasting = std::chrono::seconds(1);      // may never end
constexpr auto kLogInterval = std::chrono::seconds(1);

// The longest list of functions.
constexpr std::size_t kFunctionsMax = 12;

// Returns the functions of the handler, or of the task; empty if their names are unknown.
std::string names_of(const std::vector<const void*>& stack) {
  std::string names;
  std::size_t count = 0;
  for (const void* code : stack) {
    const std::string name = base::function_name(code);
    const bool calls_handler = name.starts_with("volt::http::server::") || name.starts_with("volt::sched::");
    if (calls_handler || count == kFunctionsMax) break;
    if (name.empty()) continue;
    names.append(count++ == 0 ? "" : " < ").append(name);
  }
  return names;
}

// A line, which owns its texts.
struct Line {
  std::string message;
  Stall stall;
  std::optional<server::RunningRequest> request;
  std::string route;
  std::vector<const void*> stack;
};

Task<> write_line(std::shared_ptr<Log> log, Line line) {
  const Stall& stall = line.stall;
  std::vector<LogField> fields = {{"worker", stall.worker},
                                  {"duration_ms", stall.lasted},
                                  {"cpu_ms", stall.processor_time},
                                  {"cause", to_string(stall.cause)}};
  if (line.request) {
    fields.push_back({"method", to_string(line.request->method)});
    fields.push_back({"route", line.route});
    if (!line.request->id.empty()) fields.push_back({"request_id", line.request->id});
  } else {
    fields.push_back({"task", stall.task});
  }
  const std::string names = names_of(line.stack);
  if (!names.empty()) fields.push_back({"stack", names});
  kHttpLog.to(*log, LogLevel::warning, line.message, fields);
  co_return;
}

}  // namespace

StallLog::StallLog(MonitoredServer& watched, Runtime& writer)
    : watched_(watched), writer_(writer), open_(watched.runtime.worker_slots()) {}

// A stall is reported several times: first it is counted, and its request is found while the request runs.
void StallLog::note(const Stall& stall) {
  if (stall.cause == StallCause::no_processor) return;
  server::Traffic& traffic = *watched_.server_state->traffic();
  Open& open = open_[stall.worker];
  if (!stall.ended) {
    auto request = watched_.server_state->request_during(stall.task, stall.since, stall.until, stall.charged());
    if (open.since != stall.since) {
      open = {.since = stall.since, .request = std::move(request)};
      open.request ? traffic.count_stall(open.request->route) : traffic.count_other_stall();
    } else if (request) {
      // The time before the request may have been half of the turn at the first report, and is not any more.
      if (!open.request) traffic.count_stall(request->route);
      open.request = std::move(request);
    }
    if (stall.charged() >= kLasting) write("blocks", stall, open.request, next_line_of_lasting_);
    return;
  }
  if (open.since == stall.since && stall.charged() >= kToLog) {
    write("blocked", stall, open.request, next_line_);
  }
}

void StallLog::write(std::string_view verb, const Stall& stall, const std::optional<server::RunningRequest>& request,
                     Clock::time_point& next_line) {
  const Clock::time_point now = Clock::now();
  if (now < next_line) return;
  next_line = now + kLogInterval;
  Line line{.message = std::string(request ? "handler " : "task ").append(verb).append(" its worker"),
            .stall = stall,
            .request = request,
            .route = request ? watched_.pattern(request->route) : std::string(),
            .stack = {stall.stack.begin(), stall.stack.end()}};
  line.stall.stack = {};
  writer_.spawn(write_line, watched_.runtime.shared_log(), std::move(line)).detach();
}

}  // namespace volt::http::ops
