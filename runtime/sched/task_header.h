// SPDX-License-Identifier: MIT

// TaskHeader: the scheduler's record of a spawned task. Queues contain headers; each header refers to the task's
// coroutine frames.
//
// Threads: `state` and `queue_next` (through a queue) are shared; every other field belongs to the thread that holds
// the task active (TaskState), that is, the worker that runs the task or the thread that cancels or inspects it. Any
// thread may read the fields for reports while the task is in its list.
// Edges
//   H1  fail() releases failed_  ->  failed() and cancels() acquire : what fail() does next concerns a failed scope
//
// Lifetime: reference-counted in `state`: one reference for the scheduler until the task is done, one for a JoinHandle.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <source_location>
#include <utility>

#include "runtime/base/intrusive_list.h"
#include "runtime/coro/promise.h"
#include "runtime/io/completion.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_state.h"
#include "runtime/sched/tasks.h"
#include "runtime/sched/work_class.h"

namespace volt::tracing {
class ActiveSpan;
}

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

  // Called by the thread that holds the task active, and again only if it has returned false. Returns true if the wait
  // was claimed: no wake will come, and the caller must make the task runnable. Returns false if a wake will come: the
  // wait has just ended, or an operation that is being cancelled will still complete.
  [[nodiscard]] virtual bool cancel() noexcept = 0;

  // Called by the worker before it resumes the task, if the task has `rechecks_wait` set. Returns false if the event
  // that woke the task was taken by another task; the wait then continues.
  [[nodiscard]] virtual bool recheck() noexcept { return true; }

 protected:
  ~Wait() = default;
};

// A scope in which a task runs its body. If the scope fails, what the task awaits in it throws Cancelled, until the
// scope has ended. The scopes of a task are nested and form a list, the innermost first.
//
// Threads: the links belong to the thread that holds the task active; failed() may be read, and fail() called, by any.
class CancelScope {
 public:
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

 protected:
  // Begins a scope of `task`, which makes the call.
  explicit inline CancelScope(TaskHeader& task) noexcept;
  ~CancelScope() = default;

  // Marks the scope as failed, and cancels the wait of its task. The task must be in the scope until this returns.
  void fail() noexcept;
  [[nodiscard]] bool failed() const noexcept { return failed_.load(base::acquire); }  // H1

  // Ends the scope. Called by its task, when no thread can call fail() any more.
  inline void end() noexcept;

  [[nodiscard]] TaskHeader& task() const noexcept { return task_; }

 private:
  friend struct TaskHeader;

  void withdraw() noexcept;

  // Returns whether this scope, or one around it, has failed, and the task is in no shield() that it began inside.
  [[nodiscard]] bool cancels(std::uint8_t shield_depth) const noexcept;

  TaskHeader& task_;
  CancelScope* const outer_;
  const std::uint8_t shield_depth_;  // of the task when it began the scope
  base::Atomic<bool> failed_{false};
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
      : state(references),
        work_class(WorkClass::of(root_frame)),
        code(WorkClass::code_of(root_frame)),
        scheduler(&home_scheduler),
        root(root_frame),
        resume_point(root_frame) {}
  TaskHeader(const TaskHeader&) = delete;
  TaskHeader& operator=(const TaskHeader&) = delete;

  TaskState state;
  std::uint16_t last_worker = 0;         // worker that ran it last; its worker if it is pinned, or stealing is off
  std::uint8_t shield_depth = 0;         // if not 0, cancels are held back until it is 0 again
  bool yielded : 1 = false;              // suspended only to let others run: stays active, is queued last
  bool rechecks_wait : 1 = false;        // the worker calls wait->recheck() before it resumes the task
  bool pinned : 1 = false;               // always runs on `last_worker`; set before it starts
  bool queue_delay_sampled : 1 = false;  // its next turn records how long it was queued (Worker::queued_at_ns)
  bool reports_failure : 1 = false;      // its exception is logged if no handle takes it; set before it starts
  bool value_taken : 1 = false;          // SpawnedTask::take() was called
  bool awaits_adoption : 1 = false;      // it is in no list until a worker adopts it (TaskList::adopt)
  std::uint16_t times_refused = 0;       // awaits that threw Cancelled because the whole task was cancelled
  WorkClass work_class;                  // of its current work; at first that of its coroutine function
  base::Atomic<WaitsFor> waits_for{WaitsFor::nothing};  // for reports; valid while the task is suspended
  TaskHeader* queue_next = nullptr;                     // link in the queue that holds it
  const void* const code;                               // the function that resumes its root frame
  Scheduler* scheduler;
  TaskList* list = nullptr;  // the list of live tasks that contains it; null for a child in a ChildGroup
  union {
    std::coroutine_handle<> root;  // until collect()
    std::exception_ptr error;      // what ended the task, if an exception did; from collect() on
  };
  coro::AwaitPoint resume_point;            // innermost suspended frame
  Wait* wait = nullptr;                     // the current wait; null before the first run
  DoneHook* on_done = nullptr;              // valid while its joiner waits (TaskState)
  CancelScope* scope = nullptr;             // the innermost scope whose body it runs
  tracing::ActiveSpan* span = nullptr;      // the span of what it does; valid until the task changes it
  const LogContext* log_context = nullptr;  // null: its log lines have no further fields

  // For reports.
  TaskId id = 0;  // assigned before the task is listed
  // While the task is queued, the time at which it was queued; otherwise the time at which its last turn began.
  base::Atomic<std::int64_t> turn_at_ns{0};
  base::Atomic<std::source_location> detached_at{std::source_location()};  // line() is 0 until it is detached

  // Moves the outcome out of the root frame, destroys that frame, and sets `error`.
  virtual void collect() noexcept = 0;
  // Returns whether an exception ended the task. Must be called after collect().
  [[nodiscard]] bool failed() const noexcept { return error != nullptr; }

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
    resume_point.frame.resume();
  }

  // Returns whether awaits of this task throw Cancelled now: the task was cancelled, or a scope whose body it runs has
  // failed, and the task is not shielded. Called by the thread that holds the task active.
  //
  // A task that catches Cancelled and continues would use its processor until the process ends. Therefore, after
  // kTimesRefusedMax refused awaits its awaits wait again, and the runtime reports that it does not end.
  [[nodiscard]] bool cancelled() noexcept { return state.any_cancel_requested() && takes_cancel(); }
  static constexpr std::uint16_t kTimesRefusedMax = 10'000;

 protected:
  ~TaskHeader() { std::destroy_at(&error); }  // only after collect()
  virtual void destroy() noexcept = 0;

  // Ends the life of `root`.
  void set_error(std::exception_ptr ended_by) noexcept { std::construct_at(&error, std::move(ended_by)); }

 private:
  [[nodiscard, gnu::cold]] bool takes_cancel() noexcept;
};

inline CancelScope::CancelScope(TaskHeader& task) noexcept
    : task_(task), outer_(task.scope), shield_depth_(task.shield_depth) {
  task.scope = this;
}

inline void CancelScope::end() noexcept {
  task_.scope = outer_;
  if (failed()) withdraw();
}

// Logs and counts the exception of a task that no handle can take any more. Ignores Cancelled. The task must be done.
void report_failure(const TaskHeader& task, const std::exception_ptr& error) noexcept;

// Registers and queues a new task: on the calling worker, or if the calling thread is not a worker of its scheduler, on
// any worker.
void start(TaskHeader& task);
// Registers and queues a new task on `worker`.
void start_on(TaskHeader& task, std::uint32_t worker);
// Queues a new task that is in no list of the scheduler, because its parent lists it. The calling thread must be a
// worker of its scheduler.
void start_unlisted(TaskHeader& task) noexcept;

// Puts a runnable task into a queue: a new task, or one whose wait has ended or was cancelled. The caller must hold the
// task active (TaskState), and the task must be in no queue. Any thread may call this.
void enqueue(TaskHeader& task) noexcept;

// Wakes a suspended task. The caller must have claimed the task's wait. Any thread may call this.
void wake(TaskHeader& task) noexcept;

// Cancels the wait of a suspended task. The caller must have requested the cancellation in `state` and claimed the
// task. This call releases the claim.
void deliver_cancel(TaskHeader& task) noexcept;

// Ends the claim of a thread that has only read the task. Queues the task if it was woken during the claim, and cancels
// its wait if it was cancelled.
void end_inspection(TaskHeader& task) noexcept;

// Cancels the task. Any thread that holds a reference may call this. Returns at once; the task is done when it has
// unwound.
void cancel(TaskHeader& task) noexcept;

}  // namespace volt::sched
