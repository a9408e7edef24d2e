// SPDX-License-Identifier: MIT

// The idle protocol: two threads push to the global queue, two workers search, park and wake. The workers' loop is
// Worker::run without tasks of its own (runtime/sched/worker.cpp: run_tick, end_search_with_work, park).
//
// With kHeavy the second thread pushes to the heavy queue, which is another queue of the same class, and from which the
// workers take when the global queue is empty (Worker::next_task).
#pragma once

#include <array>

#include "runtime/sched/global_queue.h"
#include "runtime/sched/idle_state.h"
#include "tests/model/body.h"

namespace volt::model {

struct Job {
  Job* queue_next = nullptr;
  int done = 0;
};

// Faults that are left in on purpose; the explorer must find each of them.
enum class IdleFault : std::uint8_t {
  none,
  no_recheck,             // no re-check between the parked bit and the sleep
  recheck_before_park,    // re-check before the parked bit is set instead of after
  searcher_says_nothing,  // a searcher that leaves the search with work wakes no other worker
  duty_dropped,           // a searcher that parks and then does not sleep drops the duty to search
  heavy_not_rechecked,    // the re-check leaves out the heavy queue
  heavy_not_told,         // a searcher that leaves the search wakes no other worker for the heavy queue
};

template <IdleFault kFault = IdleFault::none, bool kHeavy = false>
class IdleBody final : public Body {
 public:
  static constexpr unsigned kThreads = 4;

  void thread(unsigned index) override {
    if (index < kWorkers) {
      work(index);
    } else {
      Job& job = jobs_[index - kWorkers];
      (kHeavy && index == kWorkers + 1 ? heavy_ : global_).push(&job);
      notify_one();
    }
  }

  void finish() override {
    for (const Job& job : jobs_) require(job.done == 1, "each job is done exactly once");
  }

 private:
  static constexpr unsigned kWorkers = 2;

  void notify_one() noexcept {
    if (const auto claimed = idle_.claim_one()) events_[*claimed].signal();
  }

  void work(std::uint32_t worker) {
    bool searching = false;
    for (;;) {
      if (Job* job = pop()) {
        if (searching) end_search(worker);
        searching = false;
        do_job(*job);
        continue;
      }
      if (stopping_.load(base::relaxed)) return;
      if (!searching) searching = idle_.try_start_search(worker);
      if (searching && anything_queued()) continue;
      searching = park(worker, searching);
    }
  }

  void end_search(std::uint32_t worker) {
    const bool was_last = idle_.stop_search(worker);
    if (kFault == IdleFault::searcher_says_nothing) return;
    const bool heavy_waits = kFault != IdleFault::heavy_not_told && !heavy_.empty();
    if (was_last && (!global_.empty() || heavy_waits)) notify_one();
  }

  // Parks the worker. Returns whether it searches afterwards.
  [[nodiscard]] bool park(std::uint32_t worker, bool was_searching) {
    bool found = kFault == IdleFault::recheck_before_park && may_not_sleep();
    idle_.park(worker);
    if (kFault != IdleFault::recheck_before_park && kFault != IdleFault::no_recheck) found = may_not_sleep();
    if (!found) {
      events_[worker].wait();
      return idle_.unpark(worker);
    }
    if (idle_.unpark(worker)) return true;
    return was_searching && kFault != IdleFault::duty_dropped && idle_.try_start_search(worker);
  }

  [[nodiscard]] Job* pop() {
    Job* job = global_.pop();
    return job != nullptr ? job : heavy_.pop();
  }
  [[nodiscard]] bool anything_queued() const { return !global_.empty() || !heavy_.empty(); }

  [[nodiscard]] bool may_not_sleep() const {
    const bool heavy_waits = kFault != IdleFault::heavy_not_rechecked && !heavy_.empty();
    return !global_.empty() || heavy_waits || stopping_.load(base::relaxed);
  }

  // Each job lasts until the other has begun, so neither may be left in the queue while a worker sleeps.
  void do_job(Job& job) {
    ++job.done;
    if (jobs_begun_.fetch_add(1, base::relaxed) == 0) {
      while (jobs_begun_.load(base::relaxed) == 1) pause();
    }
    if (jobs_done_.fetch_add(1, base::relaxed) + 1 != jobs_.size()) return;
    stopping_.store(true, base::relaxed);  // as in Scheduler::stop
    for (Event& event : events_) event.signal_in_order();
  }

  sched::GlobalQueue<Job> global_;
  sched::GlobalQueue<Job> heavy_;
  sched::IdleState idle_{kWorkers};
  std::array<Event, kWorkers> events_;
  std::array<Job, kThreads - kWorkers> jobs_;
  base::Atomic<std::uint32_t> jobs_begun_{0};
  base::Atomic<std::uint32_t> jobs_done_{0};
  base::Atomic<bool> stopping_{false};
};

}  // namespace volt::model
