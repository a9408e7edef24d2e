// SPDX-License-Identifier: MIT

// all, race, within, shield: run a few coroutines at once, with structured lifetimes. Each function returns only after
// everything that it started has finished; it owns the callables until then, so they may capture.
//
//   auto [user, orders] = co_await all([&] { return load_user(id); }, [&] { return load_orders(id); });
//   std::variant<A, B> first = co_await race(ask_a, ask_b);       // the loser is cancelled, and awaited
//   Result<Reply> reply = co_await within(2s, [&] { return ask(peer); });   // error timed_out
//   co_await shield([&] { return commit(); });                     // a cancel waits until it is done
//
// Threads: awaited in tasks.
#pragma once

#include <chrono>
#include <tuple>
#include <variant>

#include "runtime/internal/inline_children.h"
#include "runtime/result.h"
#include "runtime/sched/task_group.h"
#include "runtime/sched/timer.h"
#include "runtime/spawn.h"

namespace volt {
namespace sched {

template <class F>
using CalledValue = SpawnedValue<F&>;

template <class T>
ValueOf<T> take_value(SpawnedTask<T>& task) {
  if constexpr (std::is_void_v<T>) {
    task.take();
    return {};
  } else {
    return task.take();
  }
}

// Owns a task that will become a child of a group. A task that was not started is destroyed with this object.
template <class T>
class Child {
 public:
  explicit Child(Task<T> coroutine) : task_(make_child(std::move(coroutine))) {}
  ~Child() { started_ ? task_.release() : task_.discard(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void start(TaskGroup& group) {
    started_ = true;
    group.start(task_);
  }
  [[nodiscard]] SpawnedTask<T>& task() noexcept { return task_; }

 private:
  SpawnedTask<T>& task_;
  bool started_ = false;
};

// The children of one group, kept until their results are taken.
template <class... T>
class Children {
 public:
  explicit Children(Task<T>... coroutines) : children_(std::move(coroutines)...) {}

  void start(TaskGroup& group) {
    std::apply([&](auto&... child) { (child.start(group), ...); }, children_);
  }

  template <std::size_t index>
  [[nodiscard]] auto& task() {
    return std::get<index>(children_).task();
  }

 private:
  std::tuple<Child<T>...> children_;
};

// Returns the result of the child `winner` in a variant: its alternative has the index of that child. The search for
// the winner begins at child `index`.
template <class Variant, std::size_t index = 0, class Children>
Variant take_winner(Children& children, const TaskHeader* winner) {
  if constexpr (index + 1 == std::variant_size_v<Variant>) {
    return Variant(std::in_place_index<index>, take_value(children.template task<index>()));
  } else {
    if (winner == &children.template task<index>()) {
      return Variant(std::in_place_index<index>, take_value(children.template task<index>()));
    }
    return take_winner<Variant, index + 1>(children, winner);
  }
}

}  // namespace sched

// Runs the coroutines of all callables at once and returns their values in order (sched::NoValue for void). The first
// one that throws causes the others to be cancelled, and those that have not begun do not begin; its exception is
// rethrown.
//
// The coroutines run in the calling task, one after the other, as long as they do not wait: then all() costs little
// more than awaiting each of them. When one waits, or another worker has nothing to do, those that have not begun
// become tasks of their own, which run in any order and on any worker. A coroutine must not block its thread until
// another one of them has run.
template <class... F>
Task<std::tuple<sched::ValueOf<sched::CalledValue<F>>...>> all(F... functions) {
  if (!sched::worker_context("all()").budget.consume_inline_call()) co_await yield();
  sched::InlineChildren<sched::CalledValue<F>...> children(functions()...);
  while (children.next()) co_await children.run_inline();
  if (children.has_tasks()) co_await children.tasks_gone();
  co_return children.take();
}

// Runs the tasks of all callables at once until one is done; the others are then cancelled and awaited. The index of
// the variant is that of the winner; an exception of the winner is rethrown. The results of the losers are dropped,
// including a value that a loser received just before another task won. To wait for the first of several receives,
// locks and similar operations without loss, use select() (runtime/select.h).
template <class... F>
Task<std::variant<sched::ValueOf<sched::CalledValue<F>>...>> race(F... functions) {
  using Outcome = std::variant<sched::ValueOf<sched::CalledValue<F>>...>;
  sched::Children<sched::CalledValue<F>...> children(functions()...);
  sched::TaskGroup group;
  children.start(group);
  co_await group.wait(sched::TaskGroup::Until::one_done);
  group.cancel_all();
  co_await group.wait(sched::TaskGroup::Until::all_done);
  if (sched::current()->task->cancelled()) throw Cancelled{};
  co_return sched::take_winner<Outcome>(children, group.first_done());
}

// Runs the callable's task for at most `limit`; then the task is cancelled and awaited. Error: timed_out, if the task
// was cancelled because of the limit.
template <class F>
Task<Result<sched::CalledValue<F>>> within(std::chrono::nanoseconds limit, F function) {
  using T = sched::CalledValue<F>;
  const std::int64_t deadline_ns = sched::moment_after(sched::clock_ns(), limit);
  auto& task = sched::make_child(function());
  JoinHandle<T> handle(task);
  sched::start(task);
  sched::JoinWait until_deadline(task, sched::OnCancel::propagate, deadline_ns);
  const bool in_time = co_await until_deadline;
  if (!in_time) {
    handle.cancel();
    sched::JoinWait until_done(task, sched::OnCancel::propagate);
    co_await until_done;
  }
  if (sched::current()->task->cancelled()) throw Cancelled{};
  try {
    if constexpr (std::is_void_v<T>) {
      task.take();
      co_return Result<T>{};
    } else {
      co_return task.take();
    }
  } catch (const Cancelled&) {  // decided: the cancel came from here
    if (in_time) throw;
  }
  co_return error(std::errc::timed_out);
}

// Runs the callable's task in this task, shielded from cancellation: a cancel takes effect after the callable's task is
// done.
template <class F>
Task<sched::CalledValue<F>> shield(F function) {
  struct Shield {
    Shield() noexcept { ++sched::current()->task->shield_depth; }
    ~Shield() { --sched::current()->task->shield_depth; }
    Shield(const Shield&) = delete;
    Shield& operator=(const Shield&) = delete;
  };
  const Shield shielded;
  co_return co_await function();
}

}  // namespace volt
