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
// done. If the body or a child throws, the others are cancelled at once, and the first exception is rethrown after they
// have unwound: what the body awaits throws Cancelled until the scope has ended. After that the calling task is not
// cancelled. The body may catch Cancelled, but must then end; work in a shield() that the body began is finished first.
// A child that ends with Cancelled has not failed. If the caller is cancelled, the children are cancelled too.
// with_scope() owns the callable until it returns, so the callable may capture.
//
// Rejected: a Scope object with a join() that the caller has to call. An exception before join() would leave children
// running, and a destructor cannot wait.
// Rejected: running the body as a child, which could be cancelled like the others. Each scope would cost one more task,
// and reports of the calling task would not say what the body waits for.
#pragma once

#include "runtime/sched/task_group.h"
#include "runtime/spawn.h"

namespace volt {

class Scope : private sched::CancelScope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Starts a child task. Its value is dropped. If it throws, the body and the other children are cancelled. If the
  // scope has failed already, the child is cancelled at once. Must be called from the scope's task or one of its
  // children.
  template <class F, class... Args>
  void spawn(F function, Args&&... args) {
    auto& task = sched::make_child(supervise(sched::call_spawned<F>(function, std::forward<Args>(args)...)));
    task.span = span_;
    group_.start(task);
    if (failed()) sched::cancel(task);
    task.release();
  }

  // Cancels every child, but not the body. Is not a failure: children that are spawned later run.
  void cancel() { group_.cancel_all(); }

 private:
  template <class Body>
  friend Task<> with_scope(Body body);
  Scope() noexcept : CancelScope(*sched::worker_context("with_scope()").task) {}

  template <class T>
  Task<> supervise(Task<T> child) {
    try {
      co_await std::move(child);
    } catch (const Cancelled&) {
      throw;
    } catch (...) {  // decided: kept for with_scope(), which rethrows it
      if (keep(std::current_exception())) {
        fail();  // first, so that children that are spawned from now on are cancelled
        group_.cancel_all();
      }
      throw;
    }
  }

  // Keeps the first exception. Returns false if there was one before.
  bool keep(std::exception_ptr error) noexcept {
    const std::scoped_lock lock(lock_);
    if (error_) return false;
    error_ = std::move(error);
    return true;
  }

  // Cancels the children, including those that are spawned later.
  void body_failed(std::exception_ptr error) noexcept {
    keep(std::move(error));
    fail();
    group_.cancel_all();
  }

  tracing::ActiveSpan* const span_ = sched::current()->task->span;  // outlives the scope, unlike a span of the body
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
    scope.body_failed(std::current_exception());
  }
  co_await scope.group_.wait(sched::TaskGroup::Until::all_done);
  scope.end();
  if (scope.error_) std::rethrow_exception(scope.error_);
  if (sched::current()->task->cancelled()) throw Cancelled{};
}

}  // namespace volt
