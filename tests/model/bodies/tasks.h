// SPDX-License-Identifier: MIT

// Tasks that each run on a thread of their own: as much of a scheduler as a body with coroutines needs. The task's
// state, its wakes and cancels (runtime/sched/task_header.h) and everything that it awaits are the runtime's; only the
// queues between threads are not.
#pragma once

#include <coroutine>
#include <exception>

#include "runtime/cancel.h"
#include "runtime/sched/child_offers.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"
#include "tests/model/body.h"

namespace volt::model {

// The return type of a coroutine that becomes a Tasklet.
struct Routine {
  struct promise_type {
    Routine get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
  std::coroutine_handle<> frame;
};

// The worker of a task that calls all(), and the queue into which it puts a child that has become a task.
class ParentWorker {
 public:
  // `shared`: another thread may take what is on offer.
  explicit ParentWorker(bool shared, bool hands_over = true) noexcept
      : offers(reinterpret_cast<sched::Worker&>(*this), shared), hands_over_(hands_over) {}

  // Called when the task is about to be suspended. Makes a task of the child that it has on offer.
  void hand_over() noexcept {
    if (!hands_over_ || !offers.any()) return;
    base::Chain<sched::TaskHeader> children;
    offers.make_tasks(children);
    require(children.size() == 1, "one child has not begun");
    queue_.exchange(children.pop_front(), base::release);
  }
  // Called when the worker has ended.
  void close() noexcept { queue_.exchange(closed(), base::release); }
  // Waits for a child that was handed over, and runs it. Returns when the worker has ended.
  void run_children() noexcept {
    for (;;) {
      sched::TaskHeader* const child = queue_.exchange(nullptr, base::acquire);
      if (child == closed()) return;
      child != nullptr ? run_child(*child) : pause();
    }
  }

  // Runs a child that does not wait, as Worker::run does.
  static void run_child(sched::TaskHeader& child) noexcept {
    sched::Context context;
    context.task = &child;
    sched::set_current(&context);
    child.take_turn();
    require(child.root.done(), "the child does not wait");
    child.collect();
    require(!child.state.complete(), "no task joins the child");
    child.release();
    sched::set_current(nullptr);
  }

  sched::ChildOffers offers;

 private:
  [[nodiscard]] sched::TaskHeader* closed() noexcept { return reinterpret_cast<sched::TaskHeader*>(this); }

  const bool hands_over_;
  base::Atomic<sched::TaskHeader*> queue_{nullptr};
};

// A task with `references` holders, one of which is the thread that runs it. Deletes itself with the last reference.
class Tasklet final : public sched::TaskHeader {
 public:
  Tasklet(Routine routine, std::uint32_t references, int& destroyed) noexcept
      : TaskHeader(reinterpret_cast<sched::Scheduler&>(destroyed), routine.frame, references), destroyed_(destroyed) {
    ready_.store(this, base::relaxed);
  }
  ~Tasklet() { ++destroyed_; }

  // Runs the task to its end, as Worker::run does, and drops the runner's reference. Must be called on one thread.
  // `worker` is needed if the task calls all().
  void run(ParentWorker* worker = nullptr) noexcept {
    worker_ = worker;
    sched::Context context;
    if (worker != nullptr) context.child_offers = &worker->offers;
    sched::set_current(&context);
    while (run_once(context)) {
    }
    sched::set_current(nullptr);
  }

  void enqueue() noexcept {
    require(ready_.exchange(this, base::release) == nullptr, "a task is in a queue at most once");
  }

  void collect() noexcept override {
    root.destroy();
    set_error(nullptr);
  }

 private:
  bool run_once(sched::Context& context) noexcept {
    while (ready_.exchange(nullptr, base::acquire) == nullptr) pause();
    context.task = this;
    context.budget.reset();
    ++context.turn;
    take_turn();
    context.task = nullptr;
    if (worker_ != nullptr) worker_->hand_over();
    if (yielded) {
      yielded = false;
      enqueue();
      return true;
    }
    if (root.done()) {
      collect();
      if (state.complete()) on_done->task_done(*this);
      release();
      return false;
    }
    switch (state.end_run()) {
      case sched::TaskState::RunEnd::suspended:
        break;
      case sched::TaskState::RunEnd::run_again:
        enqueue();
        break;
      case sched::TaskState::RunEnd::cancelled:
        sched::deliver_cancel(*this);
        break;
    }
    return true;
  }

  void destroy() noexcept override { delete this; }

  base::Atomic<Tasklet*> ready_{nullptr};  // stands for every queue
  ParentWorker* worker_ = nullptr;
  int& destroyed_;
};

}  // namespace volt::model
