// SPDX-License-Identifier: MIT

#include "http/ops/internal/recordings.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "http/web/problem.h"
#include "http/web/stream.h"
#include "runtime/blocking.h"
#include "runtime/time.h"
#include "runtime/timeline.h"

namespace volt::http::ops {
namespace {

std::chrono::nanoseconds duration_of(RecordingTime time) {
  if (!(time.seconds > 0 && time.seconds <= kRecordingSecondsMax)) {
    throw Problem(Status::bad_request,
                  "seconds must be above 0 and at most " + std::to_string(static_cast<int>(kRecordingSecondsMax)));
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(time.seconds));
}

Task<> write_timeline(BodyWriter& out, std::shared_ptr<TimelineRecording> recording) {
  std::string piece = recording->next_piece();
  while (!piece.empty()) {
    co_await out.write(piece);
    piece = recording->next_piece();
  }
}

}  // namespace

// Merging the events of all workers takes a while, in which the ops server must respond to probes.
Task<Response> record_timeline(const MonitoredServer& watched, RecordingTime time) {
  const std::chrono::nanoseconds duration = duration_of(time);
  const std::shared_ptr<TimelineRecording> recording = TimelineRecording::start(watched.runtime);
  if (!recording) throw Problem(Status::conflict, "the runtime is being recorded already: try again later");
  co_await sleep_for(duration);
  co_await blocking([&recording] { recording->end(); });
  Response response = stream("application/json", write_timeline, recording);
  response.header("Content-Disposition", R"(attachment; filename="trace.json")");
  co_return response;
}

}  // namespace volt::http::ops
