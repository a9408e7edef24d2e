// SPDX-License-Identifier: MIT

// runtime/sched/local_queue.h: the cost of push and pop for the owner, and of stealing half a queue for a thief.
#include "runtime/sched/local_queue.h"

#include <benchmark/benchmark.h>

#include <memory>

namespace {

struct Item {
  Item* queue_next = nullptr;
};
using Queue = volt::sched::LocalQueue<Item>;
constexpr std::uint32_t kCapacity = 256;

void local_queue_push_and_pop(benchmark::State& state) {
  Queue queue;
  Item item;
  const auto batch = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    for (std::uint32_t i = 0; i != batch; ++i) benchmark::DoNotOptimize(queue.try_push(&item));
    for (std::uint32_t i = 0; i != batch; ++i) benchmark::DoNotOptimize(queue.pop());
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(local_queue_push_and_pop)->Arg(1)->Arg(16)->Arg(kCapacity);

// The cost of an uncontended steal, without a second thread. Per item moved.
void local_queue_steal_half(benchmark::State& state) {
  Queue victim;
  Queue mine;
  Item item;
  const auto queued = static_cast<std::uint32_t>(state.range(0));
  std::int64_t moved = 0;
  for (auto _ : state) {
    for (std::uint32_t i = 0; i != queued; ++i) benchmark::DoNotOptimize(victim.try_push(&item));
    moved += victim.steal_half_into(mine);
    while (victim.pop() != nullptr) continue;
    while (mine.pop() != nullptr) continue;
  }
  state.SetItemsProcessed(moved);
}
BENCHMARK(local_queue_steal_half)->Arg(2)->Arg(32)->Arg(kCapacity);

// Two threads: an owner that pushes and pops, and a thief that steals continuously.
struct Contested {
  Queue queue;
  Item item;
};
std::unique_ptr<Contested> contested;

void local_queue_push_and_pop_under_theft(benchmark::State& state) {
  if (state.thread_index() == 0) {
    for (auto _ : state) {
      for (int i = 0; i != 16; ++i) benchmark::DoNotOptimize(contested->queue.try_push(&contested->item));
      for (int i = 0; i != 16; ++i) benchmark::DoNotOptimize(contested->queue.pop());
    }
    state.SetItemsProcessed(state.iterations() * 16);
    while (contested->queue.pop() != nullptr) continue;
  } else {
    Queue mine;
    for (auto _ : state) {
      benchmark::DoNotOptimize(contested->queue.steal_half_into(mine));
      while (mine.pop() != nullptr) continue;
    }
  }
}
BENCHMARK(local_queue_push_and_pop_under_theft)
    ->Threads(2)
    ->UseRealTime()
    ->Setup([](const benchmark::State&) { contested = std::make_unique<Contested>(); })
    ->Teardown([](const benchmark::State&) { contested.reset(); });

}  // namespace
