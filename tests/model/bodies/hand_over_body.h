// SPDX-License-Identifier: MIT

// A spare leaves while it has a task, while an edge arrives for a stream whose home it is, and while the task of that
// stream closes it elsewhere. Two workers search, park and wake. Each task must run exactly once, on a worker if the
// spare has left, and the message must be handled by the spare, whose thread must then end.
//
// The duty, the idle state, the global queue, the inbox and the source are the runtime's. The code around them repeats
// Worker::run_as_spare, hand_tasks_over and end_spare (runtime/sched/spare_workers.cpp), Worker::run without tasks of
// its own (runtime/sched/worker.cpp) and Socket::close (runtime/net/socket.cpp).
#pragma once

#include <array>

#include "runtime/sched/global_queue.h"
#include "runtime/sched/idle_state.h"
#include "runtime/sched/inbox.h"
#include "runtime/sched/spare_duty.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class HandOverFault : std::uint8_t {
  none,
  no_notify,         // wakes no worker for the tasks that it hands over
  notify_first,      // wakes a worker before it hands the tasks over
  once,              // hands tasks over when it leaves, but not those that an edge wakes later
  ends_with_stream,  // the thread ends although the spare is still the home of a stream
  no_wake_for_post,  // a message to a spare does not wake it
};

template <HandOverFault kFault = HandOverFault::none>
class HandOverBody final : public Body {
 public:
  static constexpr unsigned kThreads = 4;

  HandOverBody() : source_(*new io::Source(-1)) {
    require(duty_.start_to_serve(), "a new spare has no thread");
    queue_.push_back(&jobs_[0]);
  }

  void thread(unsigned index) override {
    if (index < kWorkers) work(index);
    if (index == kWorkers) run_as_spare();
    if (index == kWorkers + 1) {
      duty_.start_to_leave();  // as SpareWorkers::retire_all
      spare_wakes_.signal_in_order();
      arrived_.store(true, base::release);  // the edge, from the kernel
      spare_wakes_.signal_in_order();
    }
  }

  void finish() override {
    for (const Job& job : jobs_) require(job.done == 1, "each task runs exactly once");
    require(messages_ == 1, "the message is handled exactly once");
    require(queue_.empty(), "a spare that has left has no task");
    source_.drop_reference();
  }

 private:
  struct Job {
    Job* queue_next = nullptr;
    int done = 0;
  };
  static constexpr unsigned kWorkers = 2;

  // ---- the spare ----

  void run_as_spare() {
    bool left = false;
    for (;;) {
      collect_events();
      const bool serves = duty_.serving();
      if (serves && run_tick()) continue;
      if (!serves) {
        if (kFault != HandOverFault::once || !left) hand_tasks_over();
        duty_.note_left();
        left = true;
      }
      if (!serves && end_spare()) break;
      spare_wakes_.wait();
    }
  }

  void collect_events() {
    if (arrived_.exchange(false, base::acquire)) queue_.push_back(&jobs_[1]);
    if (inbox_.empty()) return;
    sched::Inbox::Content content = inbox_.drain();
    while (const io::UnwatchRequest* request = content.unwatch.pop_front()) {
      require(&request->source == &source_, "a message arrives as it was posted");
      ++messages_;
      --home_of_;
    }
  }

  [[nodiscard]] bool run_tick() {
    Job* job = queue_.pop_front();
    if (job == nullptr) return false;
    do_job(*job);
    return true;
  }

  void hand_tasks_over() {
    base::Chain<Job> tasks;
    while (Job* job = queue_.pop_front()) tasks.push_back(job);
    if (tasks.empty()) return;
    if (kFault == HandOverFault::notify_first) notify_one();
    global_.push(std::move(tasks));
    if (kFault != HandOverFault::notify_first && kFault != HandOverFault::no_notify) notify_one();
  }

  [[nodiscard]] bool end_spare() {
    if (home_of_ != 0 && kFault != HandOverFault::ends_with_stream) return false;
    return duty_.try_end();
  }

  // ---- the workers ----

  void notify_one() noexcept {
    if (const auto claimed = idle_.claim_one()) events_[*claimed].signal();
  }

  void work(std::uint32_t worker) {
    bool searching = false;
    for (;;) {
      if (Job* job = global_.pop()) {
        if (searching && idle_.stop_search(worker) && !global_.empty()) notify_one();
        searching = false;
        do_job(*job);
        continue;
      }
      if (stopping_.load(base::relaxed)) return;
      if (!searching) searching = idle_.try_start_search(worker);
      if (searching && !global_.empty()) continue;
      idle_.park(worker);
      if (global_.empty() && !stopping_.load(base::relaxed)) {
        events_[worker].wait();
        searching = idle_.unpark(worker);
      } else {
        searching = idle_.unpark(worker) || (searching && idle_.try_start_search(worker));
      }
    }
  }

  // The task that the edge woke closes its stream.
  void do_job(Job& job) {
    ++job.done;
    if (&job == &jobs_[1]) {
      inbox_.post(source_.close_request);
      if (kFault != HandOverFault::no_wake_for_post) spare_wakes_.signal_in_order();
    }
    if (jobs_done_.fetch_add(1, base::relaxed) + 1 != jobs_.size()) return;
    stopping_.store(true, base::relaxed);
    for (Event& event : events_) event.signal_in_order();
  }

  sched::SpareDuty duty_;
  sched::Inbox inbox_;
  Event spare_wakes_;
  base::Chain<Job> queue_;     // belongs to the spare
  std::uint32_t home_of_ = 1;  // belongs to the spare
  int messages_ = 0;           // belongs to the spare
  io::Source& source_;
  base::Atomic<bool> arrived_{false};
  sched::GlobalQueue<Job> global_;
  sched::IdleState idle_{kWorkers};
  std::array<Event, kWorkers> events_;
  std::array<Job, 2> jobs_;
  base::Atomic<std::uint32_t> jobs_done_{0};
  base::Atomic<bool> stopping_{false};
};

}  // namespace volt::model
