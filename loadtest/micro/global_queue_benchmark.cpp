// SPDX-License-Identifier: MIT

// runtime/sched/global_queue.h: push and pop under its lock.
#include "runtime/sched/global_queue.h"

#include <benchmark/benchmark.h>

#include <array>
#include <memory>

namespace {

struct Item {
  Item* queue_next = nullptr;
};
using Queue = volt::sched::GlobalQueue<Item>;
constexpr std::size_t kBatch = 64;

void global_queue_push_one_pop_one(benchmark::State& state) {
  Queue queue;
  Item item;
  for (auto _ : state) {
    queue.push(&item);
    benchmark::DoNotOptimize(queue.pop());
  }
}
BENCHMARK(global_queue_push_one_pop_one);

void global_queue_pop_empty(benchmark::State& state) {
  Queue queue;
  for (auto _ : state) benchmark::DoNotOptimize(queue.pop());
}
BENCHMARK(global_queue_pop_empty);

void global_queue_push_chain_pop_batch(benchmark::State& state) {
  Queue queue;
  std::array<Item, kBatch> items;
  std::array<Item*, kBatch> out;
  for (auto _ : state) {
    volt::base::Chain<Item> chain;
    for (Item& item : items) chain.push_back(&item);
    queue.push(std::move(chain));
    benchmark::DoNotOptimize(queue.pop_batch(out.data(), kBatch));
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(global_queue_push_chain_pop_batch);

// Every thread pushes its own item and pops any item.
std::unique_ptr<Queue> shared;

void global_queue_push_one_pop_one_contended(benchmark::State& state) {
  auto item = std::make_unique<Item>();
  Item* mine = item.get();
  for (auto _ : state) {
    shared->push(mine);
    do {
      mine = shared->pop();
    } while (mine == nullptr);
  }
  static_cast<void>(item.release());  // not freed, because another thread may hold it: a leak of a few bytes per run
}
BENCHMARK(global_queue_push_one_pop_one_contended)
    ->Threads(2)
    ->UseRealTime()
    ->Setup([](const benchmark::State&) { shared = std::make_unique<Queue>(); })
    ->Teardown([](const benchmark::State&) { shared.reset(); });

}  // namespace
