// SPDX-License-Identifier: MIT

// A fork whose second half is stolen: the forker waits for its thief, helps with the parts that the thief forks in
// turn, or sleeps. The deque and the job are the runtime's; the code around them repeats Forks
// (runtime/sched/forks.cpp).
#pragma once

#include "runtime/sched/fork_deque.h"
#include "runtime/sched/fork_job.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class ForkFault : std::uint8_t {
  none,
  no_look_after_announcing,  // does not check the thief's deque after announce_sleep()
  no_fence_after_push,
  foreign_part_run,  // runs a stolen part without checking that the thief is still in the awaited job
};

template <ForkFault kFault = ForkFault::none>
class ForkJoinBody final : public Body {
 public:
  static constexpr unsigned kThreads = 2;

  ForkJoinBody() : whole_(*this, Part::kWhole), part_(*this, Part::kInner), other_(*this, Part::kOther) {}

  void thread(unsigned index) override { index == 0 ? forker() : thief(); }

  void finish() override {
    require(whole_.runs == 1 && part_.runs == 1 && other_.runs == 1, "each part runs exactly once");
  }

 private:
  using Deque = sched::ForkDeque<sched::ForkJob, 2>;
  using End = sched::ForkJob::End;

  struct Part : sched::ForkJob {
    enum Kind : std::uint8_t { kWhole, kInner, kOther };
    Part(ForkJoinBody& home, Kind sort) noexcept : ForkJob(&run_part), body(home), kind(sort) {}
    static void run_part(ForkJob& job) noexcept {
      auto& part = static_cast<Part&>(job);
      ++part.runs;
      if (part.kind == kWhole) part.body.run_whole();
    }
    ForkJoinBody& body;
    const Kind kind;
    int runs = 0;  // not atomic
  };

  // Thread 0 offers the whole job, which is stolen; then it waits for the thief.
  void forker() {
    require(offers_.push(whole_) == Deque::Push::offered, "no job was on offer before");
    offered_.signal_in_order();
    stolen_.wait();
    require(!offers_.pop(), "the job was stolen");
    while (whole_.end() == End::none) {
      if (help()) continue;
      asleep_.store(1, base::relaxed);
      if (whole_.announce_sleep()) {
        const bool helped = kFault != ForkFault::no_look_after_announcing && help();
        while (!helped && asleep_.load(base::acquire) != 0) pause();
        whole_.withdraw_sleep();
      }
      asleep_.store(0, base::relaxed);
    }
    require(whole_.runs == 1, "the thief's work is visible to the forker");
  }

  [[nodiscard]] bool help() {
    if (!whole_.thief()) return false;
    sched::ForkJob* part = thiefs_.steal();
    if (part == nullptr) return false;
    if (kFault != ForkFault::foreign_part_run && whole_.end() != End::none) {
      static_cast<void>(part->give_back());
      return false;
    }
    require(part == &part_, "a forker runs only parts of the job that it waits for");
    part->begin(0);
    part->run();
    static_cast<void>(part->finish());
    return true;
  }

  // Thread 1 runs the whole job, which forks a part, and then forks an unrelated job, as if in another task.
  void thief() {
    offered_.wait();
    sched::ForkJob* job = offers_.steal();
    require(job == &whole_, "a job on offer can be stolen");
    stolen_.signal();
    job->begin(1);
    job->run();
    if (job->finish()) wake_up();
    fork(other_);
  }

  void run_whole() {
    require(thiefs_.push(part_) == Deque::Push::offered, "no job was on offer before");
    if (kFault != ForkFault::no_fence_after_push) thiefs_.fence();
    if (whole_.forker_sleeps()) wake_up();
    while (!part_.thief() && part_.end() == End::none) pause();  // a forker that is not woken now would never wake
    settle(part_);
  }

  void fork(Part& part) {
    require(thiefs_.push(part) == Deque::Push::offered, "no job was on offer before");
    settle(part);
  }

  void settle(Part& part) {
    if (thiefs_.pop()) return part.run();
    End end = part.end();
    while (end == End::none) {
      pause();
      end = part.end();
    }
    if (end == End::given_back) part.run();
    require(part.runs == 1, "the thief's work is visible to the forker");
  }

  void wake_up() { asleep_.exchange(0, base::release); }

  Part whole_;
  Part part_;
  Part other_;
  Deque offers_{1};  // belongs to thread 0
  Deque thiefs_{1};  // belongs to thread 1
  Event offered_;
  Event stolen_;
  base::Atomic<std::uint32_t> asleep_{0};
};

}  // namespace volt::model
