// SPDX-License-Identifier: MIT

#include "http/ops/internal/recordings.h"

#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "http/web/problem.h"
#include "http/web/stream.h"
#include "runtime/blocking.h"
#include "runtime/heap_profile.h"
#include "runtime/profile.h"
#include "runtime/time.h"
#include "runtime/timeline.h"

namespace volt::http::ops {
namespace {

constexpr const char* kBusy = "the runtime is being recorded already: try again later";

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
  if (!recording) throw Problem(Status::conflict, kBusy);
  co_await sleep_for(duration);
  co_await blocking([&recording] { recording->end(); });
  Response response = stream("application/json", write_timeline, recording);
  response.header("Content-Disposition", R"(attachment; filename="trace.json")");
  co_return response;
}

// Reading the names of functions takes a while, too.
Task<Response> record_profile(const MonitoredServer& watched, RecordingTime time) {
  const std::chrono::nanoseconds duration = duration_of(time);
  auto recording = ProfileRecording::start(watched.runtime, duration);
  if (!recording) {
    if (recording.error() == std::errc::device_or_resource_busy) throw Problem(Status::conflict, kBusy);
    if (recording.error() == std::errc::not_supported) {
      throw Problem(Status::not_implemented, "profiles need stealing, rescue and a runtime.rescue_signal");
    }
    throw Problem(Status::service_unavailable, "timers cannot be created: " + recording.error().message());
  }
  co_await sleep_for(duration);
  std::string text = co_await blocking([&recording] { return (*recording)->end(); });
  co_return Response::text(std::move(text));
}

Task<Response> report_heap() {
  Result<std::string> text = co_await blocking(&heap_profile);
  if (text) co_return Response::text(*std::move(text));
  if (text.error() == std::errc::not_supported) {
    throw Problem(Status::not_implemented,
                  "profiles of memory need jemalloc: LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=prof:true PROGRAM");
  }
  throw Problem(Status::service_unavailable, "jemalloc cannot dump the heap: " + text.error().message());
}

}  // namespace volt::http::ops
