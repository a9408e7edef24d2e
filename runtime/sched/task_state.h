// SPDX-License-Identifier: MIT

// The state word of a spawned task: whether the task runs, whether it was cancelled, whether a joiner waits, and how
// many references to the task exist.
//
// The field `activations` counts the reasons why the task must be in a queue or on a worker:
//   0  suspended: its frame belongs to the thread that brings the count to 1
//   1  queued or running
//   2  running, and woken during the run: its worker queues it again
// A suspended task is woken exactly once, by the thread that claimed its wait; so the count never exceeds 2.
//
// A thread that cancels a suspended task *claims* the task (0 -> 1), as if to run it. The claim gives that thread
// exclusive access to the frame, and so to the wait that must be cancelled. If the task is woken during the claim, the
// count becomes 2, and the task is queued when the claim is released. If another cancel is requested during the claim,
// it is left to the thread that holds the claim, which then delivers again: a shield may hold back one of the two, and
// not the other, if that is of a scope that began inside the shield.
//
// A thread that *inspects* a suspended task claims it, too, and ends the claim as a run ends (end_run), because other
// threads act as if the task ran: a thread that cancels it leaves the cancel to the holder.
//
// Rejected: separate bits for SCHEDULED and RUNNING, as in Tokio. Only the worker that runs the task needs to
// distinguish queued from running. Without that distinction, the start of a run needs no read-modify-write.
//
// Edges
//   S1  the end of a wake, a claim or a run releases  ->  the thread that next brings the count to 1 acquires : the
//       frame's contents
//   S2  complete() releases the result           ->  the joiner's load of DONE acquires
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
  enum class DeliveryEnd : std::uint8_t { suspended, enqueue, deliver_again };
  enum class Join : std::uint8_t { waiting, done };

  // Creates the state of a new task. The task is active (queued or running), and `references` references to it exist.
  explicit BasicTaskState(std::uint32_t references) noexcept : word_(kActivation + references * kReference) {}

  // Records that the task's wait has ended. On `enqueue` the caller must put the task into a queue.
  [[nodiscard]] Wake wake() noexcept {
    const std::uint32_t before = word_.fetch_add(kActivation, base::acq_rel);  // S1
    VOLT_CHECK((before & kActivations) < 2);
    return (before & kActivations) == 0 ? Wake::enqueue : Wake::noted;
  }

  // Ends a run that left the task suspended, or an inspection. On `run_again` the caller must put the task into a
  // queue. On `cancelled` the task has been cancelled. The caller then still holds the task active, as with a claim,
  // and must call deliver_cancel(). (If end_run() released the task, the task could be woken, end and be destroyed
  // before the cancel is delivered.)
  [[nodiscard]] RunEnd end_run() noexcept {
    std::uint32_t word = word_.load(base::relaxed);  // relaxed: the exchange decides; the runner has the frame
    for (;;) {
      const bool woken = (word & kActivations) == 2;
      if (!woken && (word & kAnyCancel) != 0) return RunEnd::cancelled;
      if (word_.compare_exchange_weak(word, word - kActivation, base::acq_rel, base::relaxed)) {  // S1
        return woken ? RunEnd::run_again : RunEnd::suspended;
      }
    }
  }

  // Claims a suspended task. Returns false if the task is queued, running or done.
  [[nodiscard]] bool try_claim() noexcept {
    std::uint32_t word = word_.load(base::relaxed);  // relaxed: the exchange decides
    while ((word & (kActivations | kDone)) == 0) {
      if (word_.compare_exchange_weak(word, word + kActivation, base::acq_rel, base::relaxed)) return true;  // S1
    }
    return false;
  }

  // Begins to deliver the requested cancels; the caller holds a claim. Later requests are noted for end_delivery().
  void begin_delivery() noexcept { word_.fetch_and(~kUndelivered, base::acq_rel); }  // S1

  // Ends a delivery that has not made the task runnable, and the claim. On `enqueue` a wake came during the claim: the
  // caller must put the task into a queue. On `deliver_again` a cancel was requested since begin_delivery(): the caller
  // still holds the claim, and must begin another delivery.
  [[nodiscard]] DeliveryEnd end_delivery() noexcept {
    std::uint32_t word = word_.load(base::relaxed);  // relaxed: the exchange decides; the caller has the frame
    for (;;) {
      const bool woken = (word & kActivations) == 2;
      if (!woken && (word & kUndelivered) != 0) return DeliveryEnd::deliver_again;
      if (word_.compare_exchange_weak(word, word - kActivation, base::acq_rel, base::relaxed)) {  // S1
        return woken ? DeliveryEnd::enqueue : DeliveryEnd::suspended;
      }
    }
  }

  // Requests cancellation of the whole task, permanently. On `deliver` the caller must claim the task and cancel its
  // wait.
  [[nodiscard]] Cancel request_cancel() noexcept {
    const std::uint32_t before = word_.fetch_or(kCancelled | kUndelivered, base::acq_rel);  // S1
    if ((before & (kCancelled | kDone)) != 0) return Cancel::nothing;
    return (before & kActivations) == 0 ? Cancel::deliver : Cancel::left_to_runner;
  }

  // Requests the cancellation of the part of the task that is in a failed scope. On `deliver` the caller must claim the
  // task and cancel its wait, which may be done twice for one wait.
  [[nodiscard]] Cancel request_scope_cancel() noexcept {
    const std::uint32_t before = word_.fetch_or(kScopeCancelled | kUndelivered, base::acq_rel);  // S1
    return (before & kActivations) == 0 ? Cancel::deliver : Cancel::left_to_runner;
  }
  // Withdraws all those requests. Called by the task itself.
  void withdraw_scope_cancel() noexcept { word_.fetch_and(~kScopeCancelled, base::acq_rel); }  // S1
  // Returns whether either kind of cancellation is requested.
  [[nodiscard]] bool any_cancel_requested() const noexcept {
    return (word_.load(base::relaxed) & kAnyCancel) != 0;  // relaxed: the scope's own word has the data
  }

  [[nodiscard]] bool cancel_requested() const noexcept {
    return (word_.load(base::relaxed) & kCancelled) != 0;  // relaxed: a flag that carries no data
  }

  // Marks the task as done; its result must be in place. Returns true if a joiner waits: the caller must wake it.
  [[nodiscard]] bool complete() noexcept {
    const std::uint32_t before = word_.fetch_or(kDone, base::acq_rel);  // S2
    return (before & kJoinerWaits) != 0;
  }

  // Returns whether the task is neither queued nor running.
  [[nodiscard]] bool suspended() const noexcept {
    return (word_.load(base::relaxed) & kActivations) == 0;  // relaxed: a report
  }

  [[nodiscard]] bool done() const noexcept { return (word_.load(base::acquire) & kDone) != 0; }  // S2

  // Registers a joiner. On `waiting` the joiner must wait for its wake. On `done` the task is done already, and no wake
  // will come.
  [[nodiscard]] Join start_join() noexcept {
    const std::uint32_t before = word_.fetch_or(kJoinerWaits, base::acq_rel);  // S2
    VOLT_REQUIRE((before & (kJoinerWaits | kDone)) != kJoinerWaits,
                 "two tasks await one JoinHandle: let one task await it, and share the result with a channel");
    return (before & kDone) != 0 ? Join::done : Join::waiting;
  }

  // Ends the joiner's wait. Returns true to at most one caller: this caller must make the joiner runnable. Returns
  // false after the task has completed: the thread that completed the task wakes the joiner.
  [[nodiscard]] bool stop_join() noexcept {
    const std::uint32_t before = word_.fetch_and(~kJoinerWaits, base::acq_rel);  // S2
    return (before & (kDone | kJoinerWaits)) == kJoinerWaits;
  }

  // Returns whether the caller holds the only reference.
  [[nodiscard]] bool sole_reference() const noexcept {
    return word_.load(base::relaxed) < 2 * kReference;  // relaxed: dropped references leave nothing for the caller
  }

  void add_reference() noexcept { word_.fetch_add(kReference, base::relaxed); }  // relaxed: the adder holds one already

  // Returns true if this was the last reference: the caller must destroy the task.
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
  static constexpr std::uint32_t kScopeCancelled = 32;
  static constexpr std::uint32_t kAnyCancel = kCancelled | kScopeCancelled;
  static constexpr std::uint32_t kUndelivered = 64;  // a cancel was requested since the last delivery began
  static constexpr std::uint32_t kReference = 256;

  typename Atomics::template Atomic<std::uint32_t> word_;
};

using TaskState = BasicTaskState<>;

}  // namespace volt::sched
