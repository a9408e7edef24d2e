// TaskHeader: what the scheduler knows of a spawned task. Queues carry headers; the coroutine frames hang off them.
//
// Threads: `state` and `queue_next` (through a queue) are shared; every other field belongs to whoever holds the task
// active (TaskState), be it the worker that runs it or the thread that cancels it. What reports show, anybody may read
// while the task is in its list.
// Lifetime: counted in `state`: one reference for the scheduler until the task is done, one for a JoinHandle.
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

// What a suspended task waits for. It lives in the awaiting frame, derives from Completion so that reactors and timers
// can wake the task with it, and can be cancelled.
class Wait : public io::Completion {
 public:
  Wait() = default;
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  // Called at most once, by whoever holds the task active. True: the wait was claimed, no wake will come, and the
  // caller makes the task runnable. False: the wake is on its way or will follow (an operation that is being
  // cancelled).
  [[nodiscard]] virtual bool cancel() noexcept = 0;

  // Asked by the task's runner before it resumes it, if the task `rechecks_wait`. False: what it was woken for has gone to
  // another, and the wait goes on.
  [[nodiscard]] virtual bool recheck() noexcept { return true; }

 protected:
  ~Wait() = default;
};

// Told that a task is done; it lives in whoever waits for it.
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
  std::uint16_t last_worker = 0;     // ran it last; where it goes if it is pinned, or stealing is off
  std::uint8_t shield_depth = 0;     // > 0: cancels are kept until it is 0 again
  bool yielded = false;              // suspended only to let others run: stays active, goes to the back
  bool rechecks_wait = false;        // its runner asks `wait` before it resumes it
  bool pinned = false;               // every turn of it is on `last_worker`; set before it starts
  TaskHeader* queue_next = nullptr;  // link of whichever queue holds it
  Scheduler* scheduler;
  TaskList* list = nullptr;  // the list of live tasks that it is in
  std::coroutine_handle<> root;
  std::coroutine_handle<> resume_point;  // innermost suspended frame
  Wait* wait = nullptr;                  // what it waits for; null before its first run
  DoneHook* on_done = nullptr;           // valid while its joiner waits (TaskState)

  // For reports.
  TaskId id = 0;                                        // given before it is listed
  base::Atomic<std::int64_t> turn_at_ns{0};             // its last turn began; while it is queued, since when
  base::Atomic<WaitsFor> waits_for{WaitsFor::nothing};  // good while it is suspended

  // Moves the outcome out of the root frame and destroys that frame.
  virtual void collect() noexcept = 0;
  // Whether an exception ended it. After collect().
  [[nodiscard]] virtual bool failed() const noexcept = 0;

  void release() noexcept {
    if (state.drop_reference()) destroy();
  }

  // Its turn on a worker: runs it to its next suspension, unless the wait that it `rechecks_wait` at goes on.
  void take_turn() {
    if (rechecks_wait) [[unlikely]] {
      rechecks_wait = false;
      if (!wait->recheck()) return;
    }
    resume_point.resume();
  }

  // Whether the awaits of this task unwind. Called by the task itself.
  [[nodiscard]] bool cancelled() const noexcept { return state.cancel_requested() && shield_depth == 0; }

 protected:
  ~TaskHeader() = default;
  virtual void destroy() noexcept = 0;
};

// Makes a claimed or woken task runnable; called once per activation, from any thread.
void enqueue(TaskHeader& task) noexcept;

// Wakes the suspended task whose wait the caller has claimed. Any thread.
void wake(TaskHeader& task) noexcept;

// Cancels what a suspended task waits for, with the request visible in `state`. The caller has claimed the task, and
// gives the claim back here.
void deliver_cancel(TaskHeader& task) noexcept;

// Asks the task to unwind. Any thread that holds a reference. Returns at once; the task is done when it is done.
void cancel(TaskHeader& task) noexcept;

}  // namespace volt::sched
