// SPDX-License-Identifier: MIT

// SpareLoop: the loop of a worker that is a spare (spare_workers.h): it serves, leaves and ends. Beside what WorkerLoop
// needs, `Host` provides:
//
//   duty_              SpareDuty
//   send_streams_home  called when it begins to leave, and again later if it returns false: streams cannot move yet
//   may_end_spare      whether it is no longer needed: it is the home of no stream, and has been idle for long enough
//   sleep_as_spare     sleeps until it is woken or, while it leaves, until it is time to send streams home again
//
// Threads: the spare's.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/base/intrusive_list.h"
#include "runtime/sched/timer.h"
#include "runtime/sched/worker_loop.h"

namespace volt::sched {

template <class Host, class Task>
class SpareLoop : public WorkerLoop<Host, Task> {
 protected:
  using Loop = WorkerLoop<Host, Task>;
  using Loop::help_stuck_workers;
  using Loop::host;
  using Loop::run_tick;
  using Loop::shared;
  using Loop::start_round;
  using Loop::take_lifo;

  // Works as a spare until its service has ended.
  void run_until_service_ends() noexcept {
    bool served = false;
    std::int64_t left_at_ns = 0;
    std::int64_t send_home_at_ns = TimerNode::kNever;
    for (;;) {
      start_round();
      const bool serves = host().duty_.serving();
      if (served && !serves) left_at_ns = send_home_at_ns = host().tick_time_ns();
      served = serves;
      if (serves && (run_tick() != 0 || help_stuck_workers())) continue;
      if (serves && !host().duty_.serving()) continue;  // a poll of the tick may have consumed the wake for this change
      if (!serves && host().tick_time_ns() >= send_home_at_ns) {
        const bool sent_all = host().send_streams_home();
        send_home_at_ns = sent_all ? TimerNode::kNever : host().tick_time_ns() + kSendHomeAgainNs;
      }
      if (!serves) {
        hand_tasks_over();
        host().duty_.note_left();
      }
      if (shared().stopping() ? host().drained() : !serves && end_spare(left_at_ns)) break;
      host().sleep_as_spare(serves, left_at_ns, send_home_at_ns);
      Loop::slept_ = true;
    }
  }

 private:
  // A spare that leaves tries at this interval to send home the streams that could not move before.
  static constexpr std::int64_t kSendHomeAgainNs = 50'000'000;

  void hand_tasks_over() noexcept {
    base::Chain<Task> tasks;
    if (Task* task = take_lifo()) tasks.push_back(task);
    while (Task* task = host().queue_.pop()) tasks.push_back(task);
    while (Task* task = host().urgent_.pop()) tasks.push_back(task);
    if (tasks.empty()) return;
    shared().global().push(std::move(tasks));
    shared().notify_one();
  }

  // Ends the service of a spare that is no longer needed. Returns false while the spare is needed. The inbox need not
  // be checked: each message in it concerns a source whose home is this worker, even if the reactor could not arm a
  // poll of the source, and may_end_spare returns false while there are such sources.
  [[nodiscard]] bool end_spare(std::int64_t left_at_ns) noexcept {
    return host().may_end_spare(left_at_ns) && host().duty_.try_end();
  }
};

}  // namespace volt::sched
