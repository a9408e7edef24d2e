// SPDX-License-Identifier: MIT

// runtime/coro/frame_pool.h beside the heap: frames allocated and freed on one thread, and frames freed on another.
#include "runtime/coro/frame_pool.h"
#include "runtime/coro/shared_frame_pool.h"

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <new>

namespace {

using volt::coro::FramePool;

void frame_pool_allocate_and_free(benchmark::State& state) {
  FramePool pool;
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* block = pool.allocate(bytes);
    benchmark::DoNotOptimize(block);
    FramePool::deallocate(block, bytes, &pool);
  }
}
BENCHMARK(frame_pool_allocate_and_free)->Arg(100)->Arg(500)->Arg(2'000)->Arg(4'000);

void heap_allocate_and_free(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* block = ::operator new(bytes);
    benchmark::DoNotOptimize(block);
    ::operator delete(block);
  }
}
BENCHMARK(heap_allocate_and_free)->Arg(100)->Arg(500)->Arg(2'000)->Arg(4'000);

constexpr std::size_t kMany = 1'000;

void frame_pool_allocate_many_free_many(benchmark::State& state) {
  FramePool pool;
  std::array<void*, kMany> blocks;
  for (auto _ : state) {
    for (void*& block : blocks) block = pool.allocate(200);
    for (void* block : blocks) FramePool::deallocate(block, 200, &pool);
  }
  state.SetItemsProcessed(state.iterations() * kMany);
}
BENCHMARK(frame_pool_allocate_many_free_many);

// Every block is freed by another pool and returned to its own in a batch (here without a second thread).
void frame_pool_free_on_another_worker(benchmark::State& state) {
  FramePool home;
  FramePool other;
  std::array<void*, kMany> blocks;
  for (auto _ : state) {
    for (void*& block : blocks) block = home.allocate(200);
    for (void* block : blocks) FramePool::deallocate(block, 200, &other);
    other.flush_returns();
  }
  state.SetItemsProcessed(state.iterations() * kMany);
}
BENCHMARK(frame_pool_free_on_another_worker);

// Allocated and freed on a thread without a pool: the cost of a task spawned by a foreign thread.
void frame_pool_without_pool(benchmark::State& state) {
  volt::coro::SharedFramePool& pool = volt::coro::SharedFramePool::of_process();
  for (auto _ : state) {
    void* block = pool.allocate(200);
    benchmark::DoNotOptimize(block);
    pool.deallocate(block, 200);
  }
}
BENCHMARK(frame_pool_without_pool);

}  // namespace
