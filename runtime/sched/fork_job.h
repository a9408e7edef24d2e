// SPDX-License-Identifier: MIT

// ForkJob: the second call of a fork() while thieves may steal it. The job is in the stack frame of its forker. The
// forker does not leave that frame before it has taken the job back, or the thief has finished with the job.
//
// Threads: the forker's, and that of the one thief that took the job from the deque; each member names its caller.
//
//     open --begin--> taken --finish--> done           (the thief)
//     open --give_back--> given back                   (a thief that must not run it: Forks::help)
//
// The same word records whether the forker sleeps. So a sleeping forker is always woken at the end of the job, and no
// thief spends a wake on a forker that is awake.
//
// Edges
//   J1  finish and give_back change state_  ->  the forker loads it : the thief's work is visible
//   J2  announce_sleep changes state_  ->  finish and give_back change it : the sleeper is ready to be woken
//   J3  announce_sleep; a steal's fence; its check of the thief's deque  x  the thief's push; fence; forker_sleeps : a
//       forker that goes to sleep sees the jobs that its thief offers, or is woken for them
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/base/atomic.h"

namespace volt {
class LogContext;
}

namespace volt::sched {

class ForkJob {
 public:
  // `log_context`: that of the forker.
  explicit ForkJob(void (*run)(ForkJob&) noexcept, const LogContext* log_context = nullptr) noexcept
      : run_(run), log_context_(log_context) {}
  ForkJob(const ForkJob&) = delete;
  ForkJob& operator=(const ForkJob&) = delete;

  // Runs the job. Called once, by the thread that executes it.
  void run() noexcept { run_(*this); }
  [[nodiscard]] const LogContext* log_context() const noexcept { return log_context_; }

  // Called by the thief when it starts the job. `worker` is the index of the thief. The forker uses the index to find
  // the jobs that this job forks.
  void begin(std::uint32_t worker) noexcept {
    state_.fetch_or(kTaken | worker << kWorkerShift, base::relaxed);  // relaxed: only says where to search
  }
  // The thief calls one of these two functions to end the job. They return true if the forker sleeps: the thief must
  // wake it. The job may have been destroyed when they return.
  [[nodiscard]] bool finish() noexcept { return end_as(kDone); }
  [[nodiscard]] bool give_back() noexcept { return end_as(kGivenBack); }
  // Returns whether the forker sleeps. Called by the thief, after a fence that follows a push (J3).
  [[nodiscard]] bool forker_sleeps() const noexcept {
    return (state_.load(base::relaxed) & kForkerSleeps) != 0;  // relaxed: J3 is the fence's
  }

  // How a stolen job ended. The forker reads it.
  enum class End : std::uint8_t {
    none,
    done,
    given_back,  // the thief did not run it: the forker runs it
  };
  [[nodiscard]] End end() const noexcept {
    const std::uint32_t state = state_.load(base::acquire);  // J1
    if ((state & kDone) != 0) return End::done;
    return (state & kGivenBack) != 0 ? End::given_back : End::none;
  }
  [[nodiscard]] std::optional<std::uint32_t> thief() const noexcept {
    const std::uint32_t state = state_.load(base::relaxed);  // relaxed: a hint
    if ((state & kTaken) == 0) return std::nullopt;
    return state >> kWorkerShift;
  }
  // Records that the forker is about to sleep. Called by the forker. Returns false if the job has ended already: the
  // forker must not sleep, because no thief will wake it.
  [[nodiscard]] bool announce_sleep() noexcept {
    return (state_.fetch_or(kForkerSleeps, base::release) & (kDone | kGivenBack)) == 0;  // J2 J3
  }
  void withdraw_sleep() noexcept {
    state_.fetch_and(~kForkerSleeps, base::relaxed);  // relaxed: a superfluous wake does no harm
  }

 private:
  static constexpr std::uint32_t kDone = 1;
  static constexpr std::uint32_t kGivenBack = 2;
  static constexpr std::uint32_t kTaken = 4;
  static constexpr std::uint32_t kForkerSleeps = 8;
  static constexpr std::uint32_t kWorkerShift = 4;

  [[nodiscard]] bool end_as(std::uint32_t end) noexcept {
    return (state_.exchange(end, base::acq_rel) & kForkerSleeps) != 0;  // J1 J2
  }

  void (*const run_)(ForkJob&) noexcept;
  const LogContext* const log_context_;
  base::Atomic<std::uint32_t> state_{0};
};

}  // namespace volt::sched
