// SPDX-License-Identifier: MIT

// TimelineRecording: records what the workers of a runtime do, for Perfetto (ui.perfetto.dev) or chrome://tracing. Each
// worker is a track: the tasks that it runs, with their routes, and when it searches, is in the kernel, or is parked.
// Arrows show wakes, thefts, rescues and streams that moved. docs/debugging.md describes how to read it.
//
//   auto recording = TimelineRecording::start(runtime);
//   co_await sleep_for(5s);
//   recording->end();
//   for (std::string piece = recording->next_piece(); !piece.empty(); piece = recording->next_piece()) file << piece;
//
// To record a whole run, set the environment variable VOLT_TRACE to the name of a file: it is written when the Runtime
// is destroyed. The operators' server does it on demand (/debug/trace, http/ops/ops.h).
//
// Each worker keeps its last events, and overwrites older ones: the text says how many were lost. While nothing is
// recorded, the price of each event is a load and a branch.
//
// Threads: a recording is used by one thread at a time, which may be one of the runtime.
// Lifetime: a recording must end, or be destroyed, before its runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace volt {

class Runtime;
class TimelineJson;

namespace sched {
class Scheduler;
}

class TimelineRecording {
 public:
  // Events kept of each worker; an event takes 32 bytes. Both numbers are powers of two.
  static constexpr std::uint32_t kEvents = 1U << 16;
  static constexpr std::uint32_t kEventsMax = 1U << 20;

  // Starts a recording, which keeps the last `events` events of each worker: rounded down to a power of two, and to
  // kEventsMax. Returns null if the runtime is being recorded already. Throws std::bad_alloc.
  [[nodiscard]] static std::unique_ptr<TimelineRecording> start(Runtime& runtime, std::uint32_t events = kEvents);
  ~TimelineRecording();  // discards a recording that has not ended
  TimelineRecording(const TimelineRecording&) = delete;
  TimelineRecording& operator=(const TimelineRecording&) = delete;

  // Ends the recording, so that another one may start. Must be called once. It takes milliseconds, or a second for
  // millions of events. Throws std::bad_alloc.
  void end();
  // Returns the next piece of the JSON text, of some 64 KiB; empty when all of it has been returned. Must be called
  // after end(). Throws std::bad_alloc.
  [[nodiscard]] std::string next_piece();

 private:
  explicit TimelineRecording(sched::Scheduler& scheduler) noexcept;

  sched::Scheduler& scheduler_;
  bool recording_ = false;
  std::unique_ptr<TimelineJson> json_;
};

}  // namespace volt
