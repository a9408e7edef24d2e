// SPDX-License-Identifier: MIT

// SharedFramePool: a frame pool under a lock, for the threads that have no pool of their own: those that are not
// workers and spawn tasks.
//
// Such a task is freed by the worker that ran it. The heap is slow at that: the free takes the lock of the arena from
// which the spawning thread allocates at the same time. Here workers return blocks in batches without the lock
// (FramePool, edge F1).
//
// Threads: any.
// Lifetime: before a pool is destroyed, its blocks must be freed, and every pool that freed some of them must be
// flushed. The pool of the process is never destroyed, because a frame may be freed after main().
// Bound: as that of a FramePool. Worker 0 of each scheduler trims the pool of the process (runtime/sched/trim.cpp).
//
// Rejected: a pool for each such thread. A pool must live longer than its blocks, and so longer than its thread; pools
// of ended threads would have to be collected and passed on, and no thread could trim the pool of one that is idle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/spin_lock.h"
#include "runtime/coro/frame_pool.h"

namespace volt::coro {

class SharedFramePool {
 public:
  SharedFramePool() = default;
  SharedFramePool(const SharedFramePool&) = delete;
  SharedFramePool& operator=(const SharedFramePool&) = delete;

  // Returns the pool of all threads of the process that have none.
  [[nodiscard]] static SharedFramePool& of_process();

  // Returns a block of at least `bytes` bytes. Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t bytes);
  // Frees a block of any pool. Called by a thread that has no pool.
  void deallocate(void* block, std::size_t bytes) noexcept;

  // As the functions of FramePool.
  [[nodiscard]] std::size_t outstanding() const noexcept { return pool_.outstanding(); }
  [[nodiscard]] std::size_t chunk_bytes() const noexcept { return pool_.chunk_bytes(); }
  [[nodiscard]] bool has_surplus() const noexcept { return pool_.has_surplus(); }
  bool trim(std::uint32_t blocks_max) noexcept;

 private:
  base::SpinLock lock_;  // held for what belongs to the thread of a FramePool; not while memory is mapped or unmapped
  FramePool pool_;
};

}  // namespace volt::coro
