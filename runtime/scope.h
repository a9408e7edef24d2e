// SPDX-License-Identifier: MIT

// Scope: starts tasks that do not outlive the block that started them.
//
//   co_await with_scope([&](Scope& scope) -> Task<> {
//     scope.spawn(fetch, url_a);
//     scope.spawn(fetch, url_b);
//     co_return;
//   });                            // both tasks are done here, in every case
//
// The body runs in the calling task, its children concurrently. with_scope() returns when the body and all children are
// done. If the body or a child throws, the others are cancelled, and the first exception is rethrown after they have
// unwound. If the caller is cancelled, the children are cancelled too. with_scope() owns the callable until it returns,
// so the callable may capture.
//
// Rejected: a Scope object with a join() that the caller has to call. An exception before join() would leave children
// running, and a destructor cannot wait.
#pragma once

#include "runtime/sched/task_group.h"
#include "runtime/spawn.h"

namespace volt {

class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Starts a child task. Its value is dropped. If it throws, the body and the other children are cancelled. Must be
  // called from the scope's task.
  template <class F, class... Args>
  void spawn(F function, Args&&... args) {
    sched::check_spawnable<F, Args...>();
    auto& task = sched::make_child(supervise(function(std::forward<Args>(args)...)));
    group_.start(task);
    task.release();
  }

  // Cancels every child.
  void cancel() { group_.cancel_all(); }

 private:
  template <class Body>
  friend Task<> with_scope(Body body);
  Scope() = default;

  template <class T>
  Task<> supervise(Task<T> child) {
    try {
      co_await std::move(child);
    } catch (const Cancelled&) {
      throw;
    } catch (...) {  // decided: kept for with_scope(), which rethrows it
      keep(std::current_exception());
      throw;
    }
  }

  void keep(std::exception_ptr error) noexcept {
    const std::scoped_lock lock(lock_);
    if (!error_) error_ = std::move(error);
  }

  sched::TaskGroup group_;
  base::SpinLock lock_;
  std::exception_ptr error_;  // the first exception
};

template <class Body>
Task<> with_scope(Body body) {
  Scope scope;
  try {
    co_await body(scope);
  } catch (...) {  // decided: rethrown below, once the children are done
    scope.keep(std::current_exception());
    scope.cancel();
  }
  co_await scope.group_.wait(sched::TaskGroup::Until::one_failed);
  if (scope.group_.first_failed() != nullptr) scope.cancel();
  co_await scope.group_.wait(sched::TaskGroup::Until::all_done);
  if (scope.error_) std::rethrow_exception(scope.error_);
  if (sched::current()->task->cancelled()) throw Cancelled{};
}

}  // namespace volt
