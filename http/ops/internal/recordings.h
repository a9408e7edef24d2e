// SPDX-License-Identifier: MIT

// The recordings of the monitored runtime that take some seconds, /debug/trace and /debug/profile, and the profile of
// the process's memory, /debug/heap.
//
// Threads: the worker of the ops server.
#pragma once

#include "http/ops/internal/monitored_server.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http::ops {

inline constexpr double kRecordingSecondsMax = 60;

// The query of such a request.
struct RecordingTime {
  double seconds = 5;  // above 0, at most kRecordingSecondsMax
};

// Records what the workers do for that time, and responds with the timeline (runtime/timeline.h). Throws a Problem: 400
// for another time, and 409 while the runtime is being recorded already.
[[nodiscard]] Task<Response> record_timeline(const MonitoredServer& watched, RecordingTime time);

// Samples what the workers compute for that time, and responds with the folded stacks (runtime/profile.h). Throws as
// record_timeline(), and a Problem with 501 if the runtime has no signal for it.
[[nodiscard]] Task<Response> record_profile(const MonitoredServer& watched, RecordingTime time);

// Responds with the functions that have allocated the memory that is in use (runtime/heap_profile.h). Throws a Problem:
// 501 if the allocator does not know them, and 503 if it cannot tell.
[[nodiscard]] Task<Response> report_heap();

}  // namespace volt::http::ops
