// SPDX-License-Identifier: MIT

#include "runtime/coro/shared_frame_pool.h"

#include <mutex>
#include <new>
#include <utility>

#include "runtime/coro/chunk_memory.h"

namespace volt::coro {

SharedFramePool& SharedFramePool::of_process() {
  static SharedFramePool& pool = *new SharedFramePool;
  return pool;
}

void* SharedFramePool::allocate(std::size_t bytes) {
  if (!FramePool::pools(bytes)) return ::operator new(bytes);
  for (void* chunk = nullptr;; chunk = map_chunk(FramePool::kChunkBytes)) {
    const std::scoped_lock lock(lock_);
    if (chunk != nullptr) pool_.add_chunk(chunk);
    if (void* block = pool_.try_allocate(bytes)) return block;
  }
}

void SharedFramePool::deallocate(void* block, std::size_t bytes) noexcept {
  if (!FramePool::pools(bytes)) return ::operator delete(block);
  if (FramePool::home_of(block) != &pool_) return FramePool::deallocate(block, bytes, nullptr);
  const std::scoped_lock lock(lock_);
  FramePool::deallocate(block, bytes, &pool_);
}

bool SharedFramePool::trim(std::uint32_t blocks_max) noexcept {
  bool more = false;
  {
    const std::scoped_lock lock(lock_);
    more = pool_.hold_free_blocks(blocks_max);
  }
  for (;;) {
    void* chunk = nullptr;
    {
      const std::scoped_lock lock(lock_);
      chunk = pool_.take_whole_chunk();
    }
    if (chunk == nullptr) return more;
    if (unmap_chunk(chunk, FramePool::kChunkBytes)) continue;
    const std::scoped_lock lock(lock_);
    pool_.add_chunk(chunk);
  }
}

}  // namespace volt::coro
