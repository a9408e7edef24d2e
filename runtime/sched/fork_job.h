// ForkJob: what one side of a fork() is while it is on offer. It lies in the frame of its forker, who does not leave
// that frame before the job has come back to it, or its thief is done.
//
// Threads: the forker's, and the one thief's that took the job from the deque; each member says whose it is.
//
//     open --begin--> taken --finish--> done           (the thief)
//     open --give_back--> given back                   (a thief that must not run it: Forks::help)
//
// Beside that, the forker says that it sleeps, in the same word, so that no end is missed and none wakes who is awake.
//
// Edges
//   J1  finish and give_back change state_  ->  the forker loads it : what the thief did is done
//   J2  announce_sleep changes state_  ->  finish and give_back change it : the sleeper is ready to be woken
//   J3  announce_sleep; a steal's fence; its look at the thief's deque  x  the thief's push; fence; forker_sleeps : a
//       forker who goes to sleep sees what its thief offers, or is woken for it
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/base/atomic.h"

namespace volt::sched {

class ForkJob {
 public:
  explicit ForkJob(void (*run)(ForkJob&) noexcept) noexcept : run_(run) {}
  ForkJob(const ForkJob&) = delete;
  ForkJob& operator=(const ForkJob&) = delete;

  // Whoever runs it, once.
  void run() noexcept { run_(*this); }

  // Thief. `worker` is itself, where the forker may look for what this job forks.
  void begin(std::uint32_t worker) noexcept {
    state_.fetch_or(kTaken | worker << kWorkerShift, base::relaxed);  // relaxed: only where to look
  }
  // Thief. The job may be gone when this returns. True: the forker sleeps, and must be woken.
  [[nodiscard]] bool finish() noexcept { return end_as(kDone); }
  [[nodiscard]] bool give_back() noexcept { return end_as(kGivenBack); }
  // Thief, after a fence that follows a push (J3).
  [[nodiscard]] bool forker_sleeps() const noexcept {
    return (state_.load(base::relaxed) & kForkerSleeps) != 0;  // relaxed: J3 is the fence's
  }

  // Forker.
  enum class End : std::uint8_t {
    none,
    done,
    given_back,  // the forker runs it
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
  // Forker. False: the job has ended, and nobody will wake it.
  [[nodiscard]] bool announce_sleep() noexcept {
    return (state_.fetch_or(kForkerSleeps, base::release) & (kDone | kGivenBack)) == 0;  // J2 J3
  }
  void withdraw_sleep() noexcept {
    state_.fetch_and(~kForkerSleeps, base::relaxed);  // relaxed: a wake for nothing does no harm
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
  base::Atomic<std::uint32_t> state_{0};
};

}  // namespace volt::sched
