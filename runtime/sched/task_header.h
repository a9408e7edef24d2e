// SPDX-License-Identifier: MIT

// TaskHeader: the scheduler's record of a spawned task. Queues contain headers; each header refers to the task's
// coroutine frames.
//
// Threads: `state` and `queue_next` (through a queue) are shared; every other field belongs to the thread that holds
// the task active (TaskState), that is, the worker that runs the task or the thread that cancels it. Any thread may
// read the fields for reports while the task is in its list.
// Lifetime: reference-counted in `state`: one reference for the scheduler until the task is done, one for a JoinHandle.
#pragma once

#include <coroutine>
#include <cstdint>

#include "runtime/base/intrusive_list.h"
#include "runtime/io/completion.h"
#include "runtime/sched/task_state.h"
#include "runtime/sched/tasks.h"

namespace volt::sched {

class Scheduler;
class TaskList;

// The event that a suspended task waits for. A Wait is in the awaiting frame, derives from Completion so that reactors
// and timers can wake the task with it, and can be cancelled.
class Wait : public io::Completion {
 public:
  Wait() = default;
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  // Called at most once, by the thread that holds the task active. Returns true if the wait was claimed: no wake will
  // come, and the caller must make the task runnable. Returns false if a wake will come: the wait has just ended, or an
  // operation that is being cancelled will still complete.
  [[nodiscard]] virtual bool cancel() noexcept = 0;

  // Called by the worker before it resumes the task, if the task has `rechecks_wait` set. Returns false if the event
  // that woke the task was taken by another task; the wait then continues.
  [[nodiscard]] virtual bool recheck() noexcept { return true; }

 protected:
  ~Wait() = default;
};

// Notified when a task is done. It is a member of the object that waits for the task.
class DoneHook {
 public:
  virtual void task_done(TaskHeader& task) noexcept = 0;

 protected:
  ~DoneHook() = default;
};

struct TaskHeader : base::ListNode {
  TaskHeader(Scheduler& home_scheduler, std::coroutine_handle<> root_frame, std::uint32_t references) noexcept
      : state(references), scheduler(&home_scheduler), root(root_frame), resume_point(root_frame) {}

  TaskState state;
  std::uint16_t last_worker = 0;     // worker that ran it last; its worker if it is pinned, or stealing is off
  std::uint8_t shield_depth = 0;     // if not 0, cancels are held back until it is 0 again
  bool yielded = false;              // suspended only to let others run: stays active, is queued last
  bool rechecks_wait = false;        // the worker calls wait->recheck() before it resumes the task
  bool pinned = false;               // always runs on `last_worker`; set before it starts
  TaskHeader* queue_next = nullptr;  // link in the queue that holds it
  Scheduler* scheduler;
  TaskList* list = nullptr;  // the list of live tasks that contains it
  std::coroutine_handle<> root;
  std::coroutine_handle<> resume_point;  // innermost suspended frame
  Wait* wait = nullptr;                  // the current wait; null before the first run
  DoneHook* on_done = nullptr;           // valid while its joiner waits (TaskState)

  // For reports.
  TaskId id = 0;  // assigned before the task is listed
  // While the task is queued, the time at which it was queued; otherwise the time at which its last turn began.
  base::Atomic<std::int64_t> turn_at_ns{0};
  base::Atomic<WaitsFor> waits_for{WaitsFor::nothing};  // valid while the task is suspended

  // Moves the outcome out of the root frame and destroys that frame.
  virtual void collect() noexcept = 0;
  // Returns whether an exception ended the task. Must be called after collect().
  [[nodiscard]] virtual bool failed() const noexcept = 0;

  void release() noexcept {
    if (state.drop_reference()) destroy();
  }

  // Runs the task to its next suspension. If the task must recheck its wait, and recheck() returns false, the task is
  // not resumed and its wait continues.
  void take_turn() {
    if (rechecks_wait) [[unlikely]] {
      rechecks_wait = false;
      if (!wait->recheck()) return;
    }
    resume_point.resume();
  }

  // Returns whether awaits of this task throw Cancelled now: the task was cancelled and is not shielded. Called by the
  // task itself.
  [[nodiscard]] bool cancelled() const noexcept { return state.cancel_requested() && shield_depth == 0; }

 protected:
  ~TaskHeader() = default;
  virtual void destroy() noexcept = 0;
};

// Registers and queues a new task: on the calling worker, or if the calling thread is not a worker of its scheduler, on
// any worker.
void start(TaskHeader& task);
// Registers and queues a new task on `worker`.
void start_on(TaskHeader& task, std::uint32_t worker);
// Queues a new task that is in no list of the scheduler, because its parent lists it. The calling thread must be a
// worker of its scheduler.
void start_unlisted(TaskHeader& task) noexcept;

// Puts a task that has just become runnable, by a wake or by a claim, into a queue. Called once per activation, on any
// thread.
void enqueue(TaskHeader& task) noexcept;

// Wakes a suspended task. The caller must have claimed the task's wait. Any thread may call this.
void wake(TaskHeader& task) noexcept;

// Cancels the wait of a suspended task. The caller must have requested the cancellation in `state` and claimed the
// task. This call releases the claim.
void deliver_cancel(TaskHeader& task) noexcept;

// Cancels the task. Any thread that holds a reference may call this. Returns at once; the task is done when it has
// unwound.
void cancel(TaskHeader& task) noexcept;

}  // namespace volt::sched
