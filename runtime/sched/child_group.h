// SPDX-License-Identifier: MIT

// ChildGroup: the children of one all(). They run inline, in the task that awaits them, one after the other, as long as
// none of them waits. Then they cost no task, no queue and no lock. While one runs, those that have not begun are on
// offer (child_offers.h). Tasks are made of them if another worker takes the offer, or if the child that runs waits.
// The awaiting task then runs no further child inline, but waits for the tasks at the end.
//
//   inline     next() -> the child runs -> next() -> .. -> next() returns false, has_tasks() is false
//   otherwise  next() -> the child runs, the rest become tasks -> next() returns false, has_tasks() is true -> the wait
//
// The first failure cancels the other children: those that are tasks, and the one that runs inline, which is in a
// CancelScope. Children that have not begun do not begin.
//
// A task of a child lies in the frame that awaits it. It has one reference, that of the scheduler, and counts as
// running until that reference is dropped; so no thread touches the task after the wait.
//
// Threads: next, has_tasks, tasks_gone and the destructor belong to the awaiting task. make_tasks is called by the
// thread that takes the offer, fail and child_gone by the workers that run children, cancel_all by any of them, and by
// a thread that cancels the awaiting task while it waits.
// Lifetime: in the frame of the all(), which does not end before its children.
//
// Rejected: a task for each child, as race() has. Of its cost, the queue, the turn and the join are more than the
// coroutine itself.
#pragma once

#include <cstdint>
#include <exception>

#include "runtime/base/spin_lock.h"
#include "runtime/sched/child_offers.h"
#include "runtime/sched/children_wait.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

class ChildGroup;

// A child that has become a task.
class ChildTask : public TaskHeader {
 public:
  ChildTask(ChildGroup& group, Scheduler& home_scheduler, std::coroutine_handle<> root_frame) noexcept
      : TaskHeader(home_scheduler, root_frame, 1), group_(group) {}

 protected:
  ~ChildTask() = default;

  // Called in collect(). `ended_by` is null if the child has not failed.
  void note_end(std::exception_ptr ended_by) noexcept;

 private:
  friend class ChildGroup;
  void destroy() noexcept override;

  ChildGroup& group_;
  ChildTask* older_ = nullptr;  // made before this one
};

class ChildGroup : private CancelScope, private ChildOffer {
 public:
  // `context`: that of the calling worker.
  ChildGroup(const Context& context, std::uint32_t count) noexcept
      : CancelScope(*context.task),
        count_(count),
        pinned_(context.task->pinned),
        span_(context.task->span),
        log_context_(context.log_context) {}

  // Chooses the child that runs inline next, and offers those after it. Returns false if no child is to run inline.
  [[nodiscard]] bool next() noexcept {
    if (rest_ == Rest::offered) rest_ = take_back() ? Rest::not_begun : Rest::tasks;
    if (rest_ == Rest::tasks || inline_failed_) [[unlikely]]
      return stop();
    if (next_ == count_) return false;
    if (++next_ != count_) offer_rest();
    return true;
  }

  // Returns whether tasks were made of children. The awaiting task must then await tasks_gone().
  [[nodiscard]] bool has_tasks() const noexcept { return rest_ == Rest::tasks; }
  [[nodiscard]] ChildrenWait<ChildGroup> tasks_gone() noexcept { return ChildrenWait<ChildGroup>(*this); }

 protected:
  ~ChildGroup() = default;
  using CancelScope::task;

  // The index of the child that runs inline.
  [[nodiscard]] std::uint32_t running_inline() const noexcept { return next_ - 1; }
  // Called when the child that runs inline has failed.
  void fail_inline(std::exception_ptr error) noexcept;
  // Ends the group. Throws Cancelled if the task is cancelled; otherwise the first exception of a child, if there is
  // one.
  void finish() {
    end();
    if (task().cancelled()) throw Cancelled{};
    if (error_) [[unlikely]]
      std::rethrow_exception(std::move(error_));
  }

 private:
  friend class ChildTask;
  friend class ChildrenWait<ChildGroup>;

  // The state of the children from next_ on.
  enum class Rest : std::uint8_t {
    not_begun,  // their coroutines are not started
    offered,    // the same, but another worker may have made tasks of them; so has this one, if the task was suspended
    tasks,
  };

  // Makes a task of a child that has not begun.
  [[nodiscard]] virtual ChildTask& make_task(std::uint32_t index) noexcept = 0;

  void offer_rest() noexcept {
    const Context& context = *current();
    offered_by_ = &context;
    offered_in_ = context.turn;
    rest_ = Rest::offered;
    if (pinned_ || !context.child_offers->offer(*this)) [[unlikely]]
      start_rest(*context.child_offers);
  }
  // Returns false if tasks were made of the rest.
  [[nodiscard]] bool take_back() noexcept {
    const Context& context = *current();
    return &context == offered_by_ && context.turn == offered_in_ && context.child_offers->take_back();
  }
  void start_rest(ChildOffers& offers) noexcept;
  [[nodiscard]] bool stop() noexcept;

  void make_tasks(base::Chain<TaskHeader>& tasks) noexcept override;
  void cancel_all() noexcept;
  [[nodiscard]] bool start_wait(Suspension& wait) noexcept;
  [[nodiscard]] bool keep_error(std::exception_ptr error) noexcept;
  void fail(std::exception_ptr error) noexcept;
  void child_gone() noexcept;

  const std::uint32_t count_;
  // Copied from the awaiting task: a thief must not read what the task changes while it runs.
  const bool pinned_;
  tracing::ActiveSpan* const span_;
  const LogContext* const log_context_;

  std::uint32_t next_ = 0;  // the first child that has not begun inline
  Rest rest_ = Rest::not_begun;
  bool inline_failed_ = false;
  const Context* offered_by_ = nullptr;
  std::uint64_t offered_in_ = 0;  // the turn of that context

  base::SpinLock lock_;  // guards the rest
  bool cancelled_ = false;
  std::uint32_t running_ = 0;  // tasks that are not gone; wraps, because the wait adds their number at last
  ChildTask* newest_ = nullptr;
  Suspension* waiting_ = nullptr;
  std::exception_ptr error_;  // the first
};

inline void ChildTask::note_end(std::exception_ptr ended_by) noexcept {
  set_error(std::move(ended_by));
  if (failed()) [[unlikely]]
    group_.fail(error);
}

inline void ChildTask::destroy() noexcept { group_.child_gone(); }

}  // namespace volt::sched
