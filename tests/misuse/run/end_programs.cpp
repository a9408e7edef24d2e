// SPDX-License-Identifier: MIT

// Programs that misuse fork() and exit(), and programs whose failures must not vanish.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "runtime/blocking.h"
#include "runtime/scope.h"
#include "runtime/time.h"

#include "tests/misuse/run/programs.h"

namespace volt::misuse {
namespace {

using namespace std::chrono_literals;

Task<> nothing() { co_return; }
Task<int> one() { co_return 1; }
Task<> sleep_long() { co_await sleep_for(1h); }

// ---- processes and exit() ----

// Runs `child` in a child process. If a signal ends it, ends this process with the status that a shell would have.
template <class Child>
void in_child(Child child) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    child();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) ::_exit(128 + WTERMSIG(status));
}

void block_on_after_fork() {
  Runtime runtime(options());
  in_child([&] { runtime.block_on(nothing); });
}
void spawn_after_fork() {
  Runtime runtime(options());
  in_child([&] { runtime.spawn(nothing).detach(); });
}
void exit_after_fork() {
  static Runtime runtime(options());
  in_child([] { std::exit(0); });
}
void fork_in_task() {
  in_task([]() -> Task<> {
    const pid_t pid = ::fork();
    if (pid == 0) {
      co_await sleep_for(10s);  // only exec() and _exit() are possible here; long, so that the worker parks
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (WIFSIGNALED(status)) ::_exit(128 + WTERMSIG(status));
  });
}
void runtime_after_fork() {
  Runtime parents(options());
  in_child([] {
    Runtime runtime(options());
    say("a Runtime of the child: " + std::to_string(runtime.block_on(one)));
  });
}

void exit_in_task() {
  static Runtime runtime(options());
  runtime.block_on([]() -> Task<> {
    std::exit(3);
    co_return;
  });
}
void exit_in_blocking() {
  static Runtime runtime(options());
  runtime.block_on([]() -> Task<> { co_await blocking([] { std::exit(3); }); });
}
void exit_in_observer() {
  static Runtime runtime(options());
  runtime.on_stall([](const Stall&) { std::exit(3); });
  runtime.block_on([]() -> Task<> {
    const auto end = std::chrono::steady_clock::now() + 5s;
    while (std::chrono::steady_clock::now() < end) {
    }
    co_return;
  });
}
void exit_in_task_of_local_runtime() {
  in_task([]() -> Task<> {
    say("exit(3) in a task of a Runtime in main()");
    std::exit(3);
    co_return;
  });
}
void runtime_destroyed_by_its_task() {
  static auto runtime = std::make_unique<Runtime>(options());
  runtime->block_on([]() -> Task<> {
    runtime.reset();
    co_return;
  });
}

// ---- failures that must not vanish ----

Task<> throws() {
  co_await yield();
  throw std::runtime_error("no stock");
}
Task<> throws_a_number() {
  co_await yield();
  throw 42;
}
// run.py bounds the wait.
void require_one_failure(const Runtime& runtime) {
  while (runtime.metrics().detached_failures == 0) std::this_thread::sleep_for(1ms);
  if (runtime.metrics().detached_failures != 1) std::abort();
}

void detached_task_throws() {
  Runtime runtime(options());
  runtime.block_on([]() -> Task<> {
    spawn(throws).detach();
    co_return;
  });
  require_one_failure(runtime);
}
void detached_task_throws_a_number() {
  Runtime runtime(options());
  runtime.block_on([]() -> Task<> {
    spawn(throws_a_number).detach();
    co_return;
  });
  require_one_failure(runtime);
}
void dropped_handle_of_a_task_that_throws() {
  in_task([]() -> Task<> {
    const JoinHandle<void> dropped = spawn(throws);
    while (!dropped.done()) co_await sleep_for(1ms);  // it has thrown when the handle is destroyed
  });
}
void detached_from_main() {
  Runtime runtime(options());
  JoinHandle<void> handle = runtime.spawn(throws);
  while (!handle.done()) std::this_thread::sleep_for(1ms);
  handle.detach();
  require_one_failure(runtime);
}
void detached_task_cancelled() {
  {
    Runtime runtime(options());
    runtime.spawn(sleep_long).detach();
  }
  say("no line: a cancellation is not a failure");
}

void scope_child_fails() {
  const auto began = std::chrono::steady_clock::now();
  in_task([]() -> Task<> {
    try {
      co_await with_scope([](Scope& scope) -> Task<> {
        scope.spawn([]() -> Task<> {
          co_await sleep_for(1ms);
          throw std::runtime_error("child");
        });
        scope.spawn([]() -> Task<> { co_await sleep_for(15s); });
        co_await sleep_for(15s);
      });
    } catch (const std::runtime_error& error) {
      say(std::string("with_scope() threw: ") + error.what());
    }
    co_await yield();  // the task is not cancelled
  });
  if (std::chrono::steady_clock::now() - began > 10s) std::abort();
}

Task<> compute() {
  const auto end = std::chrono::steady_clock::now() + 200ms;
  while (std::chrono::steady_clock::now() < end) {
  }
  co_return;
}
void observer_removes_itself() {
  static Runtime* shared = nullptr;
  Runtime runtime(options());
  shared = &runtime;
  runtime.on_stall([](const Stall&) {
    shared->on_stall(nullptr);
    say("the observer has removed itself");
  });
  runtime.block_on(compute);
}
void observer_throws() {
  Runtime runtime(options());
  runtime.on_stall([](const Stall&) { throw std::out_of_range("no such route"); });
  runtime.block_on(compute);
}

constexpr Program kPrograms[] = {
    {"block_on_after_fork", block_on_after_fork},
    {"spawn_after_fork", spawn_after_fork},
    {"exit_after_fork", exit_after_fork},
    {"fork_in_task", fork_in_task},
    {"runtime_after_fork", runtime_after_fork},
    {"exit_in_task", exit_in_task},
    {"exit_in_blocking", exit_in_blocking},
    {"exit_in_observer", exit_in_observer},
    {"exit_in_task_of_local_runtime", exit_in_task_of_local_runtime},
    {"runtime_destroyed_by_its_task", runtime_destroyed_by_its_task},
    {"detached_task_throws", detached_task_throws},
    {"detached_task_throws_a_number", detached_task_throws_a_number},
    {"dropped_handle_of_a_task_that_throws", dropped_handle_of_a_task_that_throws},
    {"detached_from_main", detached_from_main},
    {"detached_task_cancelled", detached_task_cancelled},
    {"scope_child_fails", scope_child_fails},
    {"observer_removes_itself", observer_removes_itself},
    {"observer_throws", observer_throws},
};

}  // namespace

std::span<const Program> end_programs() noexcept { return kPrograms; }

}  // namespace volt::misuse
