// SPDX-License-Identifier: MIT

#include "runtime/internal/trace_file.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/internal/runtime_log.h"
#include "runtime/runtime.h"

namespace volt {
namespace {

constexpr const char* kTraceFileVariable = "VOLT_TRACE";

// A run may be long, so more events are kept than for a recording of seconds: up to 32 MiB for each worker, and 256 MiB
// for all of them.
constexpr std::uint32_t kEventsOfAllWorkers = 1U << 23;

std::string numbered(std::string path) {
  static base::Atomic<std::uint32_t> files{0};
  if (const auto at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(::getpid()));
  const std::uint32_t number = files.fetch_add(1, base::relaxed) + 1;  // relaxed: only a number
  return number == 1 ? path : path + "." + std::to_string(number);
}

}  // namespace

std::unique_ptr<TraceFile> TraceFile::start(Runtime& runtime) {
  const char* const name = std::getenv(kTraceFileVariable);
  if (name == nullptr || *name == '\0') return nullptr;
  return std::unique_ptr<TraceFile>(new TraceFile(runtime, numbered(name)));
}

TraceFile::TraceFile(Runtime& runtime, std::string path)
    : runtime_(runtime),
      path_(std::move(path)),
      recording_(TimelineRecording::start(
          runtime, std::max(TimelineRecording::kEvents, kEventsOfAllWorkers / runtime.worker_slots()))) {}

TraceFile::~TraceFile() {
  try {
    write();
  } catch (const std::exception& failure) {  // decided: it is logged, and the runtime ends as without it
    kRuntimeLog.to(runtime_.log(), LogLevel::error, "the trace file cannot be written",
                   {{"file", path_}, {"error", std::string_view(failure.what())}});
  }
}

void TraceFile::write() {
  recording_->end();
  std::FILE* const file = std::fopen(path_.c_str(), "we");
  if (file == nullptr) throw std::system_error(errno, std::generic_category());
  bool failed = false;
  for (std::string piece = recording_->next_piece(); !piece.empty() && !failed; piece = recording_->next_piece()) {
    failed = std::fwrite(piece.data(), 1, piece.size(), file) != piece.size();
  }
  const int error = errno;
  if (std::fclose(file) != 0 || failed) throw std::system_error(failed ? error : errno, std::generic_category());
  kRuntimeLog.to(runtime_.log(), LogLevel::info, "the timeline of the run is written", {{"file", path_}});
}

}  // namespace volt
