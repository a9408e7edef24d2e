// SPDX-License-Identifier: MIT

// BlockingJob: a call that a thread of the blocking pool makes (runtime/sched/blocking_pool.h).
//
// Lifetime: a job must not move until it has run or was withdrawn.
#pragma once

#include "runtime/base/intrusive_list.h"

namespace volt {
class LogContext;
}

namespace volt::sched {

class BlockingJob : public base::ListNode {
 public:
  // Runs on a pool thread. run() may wake a task that destroys the job, so the pool does not touch the job after run()
  // has returned.
  virtual void run() noexcept = 0;

  const LogContext* log_context = nullptr;  // of the task that waits for the call; set by the pool

 protected:
  ~BlockingJob() = default;
};

}  // namespace volt::sched
