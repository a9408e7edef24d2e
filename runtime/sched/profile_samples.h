// SPDX-License-Identifier: MIT

// ProfileSamples: the samples of one worker's thread for a processor profile (profiler.h). While no profile is recorded
// there is no memory for them, and no signal that would take one.
//
// Threads: take() runs in the signal handler, on the worker's thread; all other members belong to the thread that holds
// the lock of Profiler.
// Bound: the number of samples that start() sets; further ones are counted as lost.
//
// Edges: each thread changes state_ by one read-modify-write, so that of a handler and stop() one sees the other
//   Z1  start() opens state_  ->  take() claims it : the memory of the samples
//   Z2  take() opens state_ again  ->  the next take(), or stop(), which claims it : the sample is complete
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/atomic.h"
#include "runtime/sched/stack_sample.h"

namespace volt::sched {

// The task that a thread ran when it was sampled.
struct ProfileTask {
  bool in_task = false;
  std::uint16_t work_class = 0;     // the index of the running task's
  const void* task_code = nullptr;  // the function that resumes the task's root frame; null: unknown
};

struct ProfileSample {
  static constexpr std::size_t kFramesMax = 61;

  ProfileTask task;
  std::size_t frame_count = 0;
  std::array<const void*, kFramesMax> frames;  // the innermost first

  [[nodiscard]] std::span<const void* const> stack() const noexcept { return std::span(frames).first(frame_count); }
};

class ProfileSamples {
 public:
  [[nodiscard]] bool on() const noexcept { return samples_ != nullptr; }
  // Makes room for that many samples, and begins to take them. Throws std::bad_alloc.
  void start(std::size_t samples_max);
  // `signal_context` is the third argument of the signal handler.
  // `about`: the task that runs; the stack is added to it.
  void take(const StackSample& stack, const void* signal_context, const ProfileTask& about) noexcept;

  struct Taken {
    std::unique_ptr<ProfileSample[]> samples;
    std::size_t count = 0;
    std::uint64_t lost = 0;
  };
  // Ends it. Waits for a handler that runs.
  [[nodiscard]] Taken stop() noexcept;

 private:
  enum class State : std::uint8_t { off, open, taking };

  base::Atomic<State> state_{State::off};
  std::unique_ptr<ProfileSample[]> samples_;
  std::size_t samples_max_ = 0;
  std::size_t count_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace volt::sched
