// Scope: tasks that do not outlive the block that started them.
//
//   co_await with_scope([&](Scope& scope) -> Task<> {
//     scope.spawn(fetch, url_a);
//     scope.spawn(fetch, url_b);
//     co_return;
//   });                            // both are done here, whatever happened
//
// The body runs in the calling task, its children beside it. with_scope returns when all are done. When the body or a
// child throws, the others are cancelled, and the first exception is rethrown once they have unwound. When the caller
// is cancelled, so are they. The callable belongs to with_scope until then, so it may capture.
//
// Rejected: a Scope object with a join() to be remembered. An exception between the two would leave children behind,
// and a destructor cannot wait.
#pragma once

#include "runtime/sched/task_group.h"
#include "runtime/spawn.h"

namespace volt {

class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Starts a child. Its value is dropped, its exception ends the scope. Called from the scope's task.
  template <class F, class... Args>
  void spawn(F function, Args&&... args) {
    sched::check_spawnable<F, Args...>();
    auto& task = sched::make_child(supervise(function(std::forward<Args>(args)...)));
    group_.start(task);
    task.release();
  }

  // Asks every child to unwind.
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
    } catch (...) {  // decided: kept for the scope's owner, who rethrows it
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
  std::exception_ptr error_;  // the first that was thrown
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
