// SPDX-License-Identifier: MIT

// runtime/sched/idle_state.h: the cost of a push that needs to wake no worker, and of a park.
#include "runtime/sched/idle_state.h"

#include <benchmark/benchmark.h>

namespace {

using volt::sched::IdleState;

// All workers run, the common case of a notify: a fence, and a load for each group of 32 workers.
void idle_state_notify_nobody_parked(benchmark::State& state) {
  IdleState idle(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(idle.claim_one());
}
BENCHMARK(idle_state_notify_nobody_parked)->Arg(2)->Arg(32)->Arg(128);

void idle_state_parked_count(benchmark::State& state) {
  IdleState idle(2);
  for (auto _ : state) benchmark::DoNotOptimize(idle.parked_count());
}
BENCHMARK(idle_state_parked_count);

void idle_state_park_and_unpark(benchmark::State& state) {
  IdleState idle(2);
  for (auto _ : state) {
    idle.park(1);
    benchmark::DoNotOptimize(idle.unpark(1));
  }
}
BENCHMARK(idle_state_park_and_unpark);

void idle_state_park_claim_unpark_stop_search(benchmark::State& state) {
  IdleState idle(2);
  for (auto _ : state) {
    idle.park(1);
    benchmark::DoNotOptimize(idle.claim_one());
    benchmark::DoNotOptimize(idle.unpark(1));
    benchmark::DoNotOptimize(idle.stop_search(1));
  }
}
BENCHMARK(idle_state_park_claim_unpark_stop_search);

void idle_state_start_and_stop_search(benchmark::State& state) {
  IdleState idle(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(idle.try_start_search(1));
    benchmark::DoNotOptimize(idle.stop_search(1));
  }
}
BENCHMARK(idle_state_start_and_stop_search)->Arg(2)->Arg(128);

}  // namespace
