// SPDX-License-Identifier: MIT

// SpareLoop: the loop of a worker that is a spare (spare_workers.h): it serves, leaves and ends. Beside what WorkerLoop
// needs, `Host` provides:
//
//   duty_              SpareDuty
//   send_streams_home  called when it begins to leave
//   may_end_spare      whether it is needed no more: it is the home of no stream, and has been idle for long enough
//   sleep_as_spare     sleeps until it is woken
//
// Threads: the spare's.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/base/intrusive_list.h"
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
    for (;;) {
      start_round();
      const bool serves = host().duty_.serving();
      if (serves && (run_tick() != 0 || help_stuck_workers())) continue;
      if (served && !serves) {
        left_at_ns = host().tick_time_ns();
        host().send_streams_home();
      }
      served = serves;
      if (!serves) {
        hand_tasks_over();
        host().duty_.note_left();
      }
      if (shared().stopping() ? host().drained() : !serves && end_spare(left_at_ns)) break;
      host().sleep_as_spare(serves, left_at_ns);
      Loop::slept_ = true;
    }
  }

 private:
  void hand_tasks_over() noexcept {
    base::Chain<Task> tasks;
    if (Task* task = take_lifo()) tasks.push_back(task);
    while (Task* task = host().queue_.pop()) tasks.push_back(task);
    while (Task* task = host().urgent_.pop()) tasks.push_back(task);
    if (tasks.empty()) return;
    shared().global().push(std::move(tasks));
    shared().notify_one();
  }

  // Ends the service of a spare that is needed no more. Returns false while it is. The inbox needs no check: a message
  // is about a source whose home this is, also if the reactor could not arm a poll of it, and nothing else is posted
  // here.
  [[nodiscard]] bool end_spare(std::int64_t left_at_ns) noexcept {
    return host().may_end_spare(left_at_ns) && host().duty_.try_end();
  }
};

}  // namespace volt::sched
