// SPDX-License-Identifier: MIT

// Jobs: work that an app repeats, every period or at the times of a cron expression.
//
//   app.every(1min, [db] { return remove_old_sessions(db); });
//   app.cron("30 3 * * *", [db] { return send_reports(db); });               // at half past three, UTC
//   app.every(10s, [cache] { return refresh(cache); }, {.name = "refresh", .jitter = 2s});
//
// A job runs in one task, beside the requests, so it never overlaps itself: times that pass while it runs are skipped.
// Several replicas of a program each run it: for work that only one of them may do, take a lock in the database, such
// as pg_try_advisory_xact_lock().
//
// A job that throws is logged with its name (module `http`), counted, and runs again at its next time. After a graceful
// shutdown a job that still runs is cancelled.
//
// /metrics has volt_job_runs_total{job,result}, whose result is ok, failed or timeout, volt_job_seconds{job},
// volt_job_running{job} and volt_job_last_success_timestamp_seconds{job}.
//
// Rejected: periods in a cron expression with seconds. every() has a fixed period on the monotonic clock; cron()
// follows the wall clock, also when that is set.
#pragma once

#include <chrono>
#include <string>

namespace volt::http {

struct JobOptions {
  std::string name = {};  // in the log and on /metrics; default: file and line of the call
  // Maximum delay of a run. Each run is delayed by a random part of it, so that replicas do not work at the same time.
  std::chrono::milliseconds jitter = std::chrono::milliseconds(0);
  // Maximum time of a run; it is cancelled then.
  std::chrono::milliseconds timeout = std::chrono::hours(24 * 365);
  bool at_start = false;  // run once when the server starts
};

}  // namespace volt::http
