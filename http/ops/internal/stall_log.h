// SPDX-License-Identifier: MIT

// StallLog: counts the stalls that handlers cause, by route, and logs those that users notice:
//
//   handler blocked its worker worker=0 duration_ms=85.000 cpu_ms=84.120 cause=computing method=GET route=/report
//   request_id=7f3a stack="shop::sum(shop::Rows const&) < shop::report(volt::http::Request&)"
//
// The line is written when the stall has ended. For a stall that lasts for a second, a line with "blocks" precedes it.
// At most one line a second is written for each of the two. `stack` names the functions in which the handler was when
// it had computed for 50 ms, the innermost first. Reading the names from the program takes milliseconds, so a task of
// another runtime writes the lines.
//
// Threads: the thread of the monitored runtime that reports stalls. Lifetime: must be destroyed before both runtimes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "http/ops/internal/monitored_server.h"
#include "runtime/tasks.h"

namespace volt::http::ops {

class StallLog {
 public:
  // `writer` runs the tasks that write the lines.
  StallLog(MonitoredServer& watched, Runtime& writer);

  // Handles a report of Runtime::on_stall().
  void note(const Stall& stall);

 private:
  using Clock = std::chrono::steady_clock;
  // The request of a worker's stall that is to be logged when it ends.
  struct Open {
    Clock::time_point since;
    std::optional<server::RunningRequest> request;
  };

  void write(std::string_view verb, const Stall& stall, const std::optional<server::RunningRequest>& request,
             Clock::time_point& next_line);

  MonitoredServer& watched_;
  Runtime& writer_;
  std::vector<Open> open_;  // by worker
  Clock::time_point next_line_{};
  Clock::time_point next_line_of_lasting_{};
};

}  // namespace volt::http::ops
