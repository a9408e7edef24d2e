// SPDX-License-Identifier: MIT

// Programs that misuse spawn(), block_on(), Task and JoinHandle.
#include <chrono>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/blocking.h"
#include "runtime/deadline.h"
#include "runtime/generator.h"
#include "runtime/per_worker.h"
#include "runtime/time.h"

#include "tests/misuse/run/programs.h"

namespace volt::misuse {
namespace {

using namespace std::chrono_literals;

Task<> nothing() { co_return; }
Task<int> one() { co_return 1; }
Task<> sleep_long() { co_await sleep_for(1h); }

void spawn_on_foreign_thread() { spawn(nothing).detach(); }
void spawn_on_in_foreign_thread() { spawn_on(0, nothing).detach(); }
void spawn_local_in_foreign_thread() { spawn_local(nothing).detach(); }

void spawn_in_blocking() {
  in_task([]() -> Task<> {
    JoinHandle<int> handle = co_await blocking([] { return spawn(one); });
    const int value = co_await std::move(handle);
    say("spawned in blocking(): " + std::to_string(value));
  });
}

void spawn_local_in_blocking() {
  in_task([]() -> Task<> { co_await blocking([] { spawn_local(nothing).detach(); }); });
}

void block_on_in_task() {
  static Runtime* shared = nullptr;
  Runtime runtime(options());
  shared = &runtime;
  runtime.block_on([]() -> Task<> {
    shared->block_on(nothing);
    co_return;
  });
}

void block_on_in_blocking() {
  static Runtime* shared = nullptr;
  Runtime runtime(options(1));
  shared = &runtime;
  const int value = runtime.block_on([]() -> Task<int> {
    const int result = co_await blocking([] { return shared->block_on(one); });
    co_return result;
  });
  say("block_on() in blocking(): " + std::to_string(value));
}

void this_worker_outside_a_task() { say(std::to_string(this_worker())); }
void deadline_outside_a_task() { static_cast<void>(Deadline::after(1s)); }
void block_in_place_outside_a_task() {
  block_in_place([] {});
}

// A coroutine that is not a task of any runtime.
struct Foreign {
  struct promise_type {
    Foreign get_return_object() noexcept { return {}; }
    [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};
Foreign awaits_in_main() { co_await yield(); }
void await_outside_a_task() { awaits_in_main(); }

void too_many_workers() {
  try {
    const Runtime runtime(options(1025));
  } catch (const std::invalid_argument& error) {
    say(error.what());
  }
}

// ---- Task and JoinHandle ----

void task_awaited_twice() {
  in_task([]() -> Task<> {
    Task<int> task = one();
    const int first = co_await std::move(task);
    const int second = co_await std::move(task);
    say(std::to_string(first + second));
  });
}

Task<> await_shared(std::shared_ptr<Task<>> task) { co_await std::move(*task); }

void task_awaited_by_two_tasks() {
  in_task([]() -> Task<> {
    auto task = std::make_shared<Task<>>(sleep_long());
    auto first = spawn(await_shared, task);
    auto second = spawn(await_shared, task);
    co_await std::move(first);
    co_await std::move(second);
  });
}

void task_moved_from() {
  in_task([]() -> Task<> {
    Task<int> task = one();
    Task<int> other = std::move(task);
    const int value = co_await std::move(task);
    say(std::to_string(value));
  });
}

void handle_awaited_twice() {
  in_task([]() -> Task<> {
    JoinHandle<int> handle = spawn(one);
    const int first = co_await std::move(handle);
    const int second = co_await std::move(handle);
    say(std::to_string(first + second));
  });
}

void handle_moved_from() {
  in_task([]() -> Task<> {
    JoinHandle<int> handle = spawn(one);
    JoinHandle<int> other = std::move(handle);
    const int value = co_await std::move(handle);
    say(std::to_string(value));
  });
}

void handle_cancelled_after_detach() {
  in_task([]() -> Task<> {
    JoinHandle<void> handle = spawn(sleep_long);
    handle.detach();
    handle.cancel();
    co_return;
  });
}

Task<> join(std::shared_ptr<JoinHandle<void>> handle) { co_await std::move(*handle); }

void handle_awaited_by_two_tasks() {
  in_task([]() -> Task<> {
    auto handle = std::make_shared<JoinHandle<void>>(spawn(sleep_long));
    spawn(join, handle).detach();
    spawn(join, handle).detach();
    co_await sleep_for(10s);
  });
}

void handle_outlives_runtime() {
  std::optional<JoinHandle<void>> handle;
  {
    Runtime runtime(options());
    handle.emplace(runtime.block_on([]() -> Task<JoinHandle<void>> { co_return spawn(sleep_long); }));
  }
}

Generator<int> numbers() { co_yield 1; }
void generator_moved_from() {
  in_task([]() -> Task<> {
    Generator<int> generator = numbers();
    Generator<int> other = std::move(generator);
    static_cast<void>(co_await generator.next());
  });
}

constexpr Program kPrograms[] = {
    {"spawn_on_foreign_thread", spawn_on_foreign_thread},
    {"spawn_on_in_foreign_thread", spawn_on_in_foreign_thread},
    {"spawn_local_in_foreign_thread", spawn_local_in_foreign_thread},
    {"spawn_in_blocking", spawn_in_blocking},
    {"spawn_local_in_blocking", spawn_local_in_blocking},
    {"block_on_in_task", block_on_in_task},
    {"block_on_in_blocking", block_on_in_blocking},
    {"this_worker_outside_a_task", this_worker_outside_a_task},
    {"deadline_outside_a_task", deadline_outside_a_task},
    {"block_in_place_outside_a_task", block_in_place_outside_a_task},
    {"await_outside_a_task", await_outside_a_task},
    {"too_many_workers", too_many_workers},
    {"task_awaited_twice", task_awaited_twice},
    {"task_awaited_by_two_tasks", task_awaited_by_two_tasks},
    {"task_moved_from", task_moved_from},
    {"handle_awaited_twice", handle_awaited_twice},
    {"handle_moved_from", handle_moved_from},
    {"handle_cancelled_after_detach", handle_cancelled_after_detach},
    {"handle_awaited_by_two_tasks", handle_awaited_by_two_tasks},
    {"handle_outlives_runtime", handle_outlives_runtime},
    {"generator_moved_from", generator_moved_from},
};

}  // namespace

std::span<const Program> task_programs() noexcept { return kPrograms; }

}  // namespace volt::misuse
