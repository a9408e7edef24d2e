// The state word of a spawned task: who runs it, whether it was cancelled, who waits for it, who holds it.
//
// `activations` counts the reasons for which the task is, or has to be, in a queue or on a worker:
//   0  suspended: its frame belongs to whoever brings the count to 1
//   1  queued or running
//   2  running, and woken meanwhile: its runner queues it again
// A suspended task is woken exactly once, by whoever claimed what it waits for; so the count never passes 2.
//
// The canceller of a suspended task *claims* it (0 -> 1), as if to run it. That gives it the frame, and with it the
// wait to be cancelled, to itself; a wake that comes meanwhile is noted (2) and acted upon when the claim is released.
//
// Why no separate SCHEDULED and RUNNING bits, as Tokio has: queued and running differ for nobody but the runner, and
// one state less saves the read-modify-write at the start of each run.
//
// Edges
//   S1  a wake's, claim's or run's end releases  ->  the next bringer of the count to 1 acquires : the frame's contents
//   S2  complete() releases the result           ->  the joiner's look at DONE acquires
//   S3  a dropped reference releases             ->  the last dropper acquires : all use is over
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"

namespace volt::sched {

template <class Atomics = base::RealAtomics>
class BasicTaskState {
 public:
  enum class Wake : std::uint8_t { enqueue, noted };
  enum class RunEnd : std::uint8_t { suspended, run_again, cancelled };
  enum class Cancel : std::uint8_t { deliver, left_to_runner, nothing };
  enum class Join : std::uint8_t { waiting, done };

  // A new task: active, with `references` holders.
  explicit BasicTaskState(std::uint32_t references) noexcept : word_(kActivation + references * kReference) {}

  // What the task waited for has happened. On `enqueue` the caller puts it into a queue.
  [[nodiscard]] Wake wake() noexcept {
    const std::uint32_t before = word_.fetch_add(kActivation, base::acq_rel);  // S1
    VOLT_CHECK((before & kActivations) < 2);
    return (before & kActivations) == 0 ? Wake::enqueue : Wake::noted;
  }

  // The runner's resume returned with the task suspended. On `run_again` the caller puts it into a queue; on
  // `cancelled` it still holds the task active, as by a claim, and delivers the cancel that was left to it. (If it let
  // go first, the task could be woken, end and be gone before the cancel is delivered.)
  [[nodiscard]] RunEnd end_run() noexcept {
    std::uint32_t word = word_.load(base::relaxed);  // relaxed: the exchange decides; the runner has the frame
    for (;;) {
      const bool woken = (word & kActivations) == 2;
      if (!woken && (word & kCancelled) != 0) return RunEnd::cancelled;
      if (word_.compare_exchange_weak(word, word - kActivation, base::acq_rel, base::relaxed)) {  // S1
        return woken ? RunEnd::run_again : RunEnd::suspended;
      }
    }
  }

  // Claims a suspended task; false if it is queued, running or done.
  [[nodiscard]] bool try_claim() noexcept {
    std::uint32_t word = word_.load(base::relaxed);  // relaxed: the exchange decides
    while ((word & (kActivations | kDone)) == 0) {
      if (word_.compare_exchange_weak(word, word + kActivation, base::acq_rel, base::relaxed)) return true;  // S1
    }
    return false;
  }

  // Gives a claim back; on `enqueue` a wake came meanwhile and the caller puts the task into a queue.
  [[nodiscard]] Wake release_claim() noexcept {
    const std::uint32_t before = word_.fetch_sub(kActivation, base::acq_rel);  // S1
    return (before & kActivations) == 2 ? Wake::enqueue : Wake::noted;
  }

  // Sticky. On `deliver` the caller claims the task and cancels what it waits for.
  [[nodiscard]] Cancel request_cancel() noexcept {
    const std::uint32_t before = word_.fetch_or(kCancelled, base::acq_rel);  // S1
    if ((before & (kCancelled | kDone)) != 0) return Cancel::nothing;
    return (before & kActivations) == 0 ? Cancel::deliver : Cancel::left_to_runner;
  }

  [[nodiscard]] bool cancel_requested() const noexcept {
    return (word_.load(base::relaxed) & kCancelled) != 0;  // relaxed: a flag that carries no data
  }

  // The result is in place. True if a joiner waits: the caller wakes it.
  [[nodiscard]] bool complete() noexcept {
    const std::uint32_t before = word_.fetch_or(kDone, base::acq_rel);  // S2
    return (before & kJoinerWaits) != 0;
  }

  // Neither queued nor running.
  [[nodiscard]] bool suspended() const noexcept {
    return (word_.load(base::relaxed) & kActivations) == 0;  // relaxed: a report
  }

  [[nodiscard]] bool done() const noexcept { return (word_.load(base::acquire) & kDone) != 0; }  // S2

  // The joiner has put itself in place and waits, unless the task is done already.
  [[nodiscard]] Join start_join() noexcept {
    const std::uint32_t before = word_.fetch_or(kJoinerWaits, base::acq_rel);  // S2
    return (before & kDone) != 0 ? Join::done : Join::waiting;
  }

  // Ends the wait of the joiner; true for exactly one caller, and never once the task has completed: then the joiner's
  // wake is on its way.
  [[nodiscard]] bool stop_join() noexcept {
    const std::uint32_t before = word_.fetch_and(~kJoinerWaits, base::acq_rel);  // S2
    return (before & (kDone | kJoinerWaits)) == kJoinerWaits;
  }

  void add_reference() noexcept { word_.fetch_add(kReference, base::relaxed); }  // relaxed: the adder holds one already

  // True if that was the last one: the caller destroys the task.
  [[nodiscard]] bool drop_reference() noexcept {
    if (word_.load(base::acquire) < 2 * kReference) return true;              // S3: the only holder needs no exchange
    const std::uint32_t before = word_.fetch_sub(kReference, base::acq_rel);  // S3
    VOLT_CHECK(before >= kReference);
    return before < 2 * kReference;
  }

 private:
  static constexpr std::uint32_t kActivation = 1;
  static constexpr std::uint32_t kActivations = 3;
  static constexpr std::uint32_t kDone = 4;
  static constexpr std::uint32_t kCancelled = 8;
  static constexpr std::uint32_t kJoinerWaits = 16;
  static constexpr std::uint32_t kReference = 256;

  typename Atomics::template Atomic<std::uint32_t> word_;
};

using TaskState = BasicTaskState<>;

}  // namespace volt::sched
