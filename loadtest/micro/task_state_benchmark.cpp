// SPDX-License-Identifier: MIT

// runtime/sched/task_state.h: the read-modify-writes of a task's lifetime.
#include "runtime/sched/task_state.h"

#include <benchmark/benchmark.h>

#include <memory>

namespace {

using volt::sched::TaskState;

// One wait: woken, queued, run, suspended again.
void task_state_wake_and_end_run(benchmark::State& state) {
  TaskState task(1);
  benchmark::DoNotOptimize(task.end_run());
  for (auto _ : state) {
    benchmark::DoNotOptimize(task.wake());
    benchmark::DoNotOptimize(task.end_run());
  }
}
BENCHMARK(task_state_wake_and_end_run);

// A task's whole lifetime: spawned, run to its end, joined, both references released.
void task_state_whole_life(benchmark::State& state) {
  for (auto _ : state) {
    TaskState task(2);
    benchmark::DoNotOptimize(task.start_join());
    benchmark::DoNotOptimize(task.complete());
    benchmark::DoNotOptimize(task.drop_reference());
    benchmark::DoNotOptimize(task.drop_reference());
  }
}
BENCHMARK(task_state_whole_life);

void task_state_cancel_requested(benchmark::State& state) {
  TaskState task(1);
  for (auto _ : state) benchmark::DoNotOptimize(task.cancel_requested());
}
BENCHMARK(task_state_cancel_requested);

}  // namespace
