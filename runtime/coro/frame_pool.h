// SPDX-License-Identifier: MIT

// Memory for coroutine frames and task headers: one pool per worker, with free lists by size. It needs no lock and no
// read-modify-write as long as a block is freed where it was allocated. Blocks freed on another worker return to their
// home pool in batches.
//
// Threads: the members belong to the pool's thread, unless they say otherwise. deallocate may be called on any thread;
// the caller passes its own thread's pool, or null if the thread has none. SharedFramePool (shared_frame_pool.h) is a
// pool for threads without one.
// Lifetime: before a pool is destroyed, its blocks must be freed, and every pool that freed some of them must be
// flushed.
// Bound: the size of a pool is the largest amount of memory that was in use at one time since its last trim(), which
// the number of tasks limits. trim() returns to the kernel the chunks of which all blocks are free. A worker calls it
// when it is about to park, has_surplus() is true, and its last trim is a second ago (runtime/sched/trim.cpp).
//
// A block has no header: its size class follows from the size that the caller passes to deallocate(), and its home pool
// stands in the first bytes of its chunk, which begins at a multiple of the size of a chunk. Sizes are rounded up to
// units of 16 bytes, so two blocks may share a cache line.
//
// To find the chunks that are free, trim() takes the blocks out of the free lists, and each chunk holds its own. A
// chunk that holds all its blocks is unmapped. The others hold theirs until a free list is empty. So neither allocate()
// nor deallocate() counts the free blocks of a chunk, and a second trim() does not see the held blocks again.
//
// Under AddressSanitizer nothing is pooled: every block is a heap allocation of its own, so that the sanitizer detects
// use after free.
//
// Edges
//   F1  push_returned's exchange of returned_  ->  that of take_returned, or of hold_free_blocks : the freeing
//       thread's writes to a block, and the links of its batch, come before the home pool reuses the block. The
//       exchange also acquires the earlier pushes, because each push is a read-modify-write, which continues their
//       release sequence
//
// Rejected: the freeing worker keeps the block (a worker that always frees the blocks of another grows without bound);
// a shared depot under a lock (workers contend for it in every burst); the heap (slower, and a free on another thread
// takes the lock of the owner's arena); a prefix before each block with its home and its size (with the rounding to
// cache lines that it asked for, a third of the memory of a parked task).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/coro/promise.h"

#if defined(__SANITIZE_ADDRESS__)
#define VOLT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VOLT_ADDRESS_SANITIZER 1
#endif
#endif

namespace volt::coro {

class FramePool {
 public:
#ifdef VOLT_ADDRESS_SANITIZER
  static constexpr bool kPools = false;
#else
  static constexpr bool kPools = true;
#endif
  static constexpr std::size_t kAlignment = kFrameAlignment;  // of every block, as that of the heap
  static constexpr std::size_t kPooledBytesMax = 2112;        // 2 KiB and a little; beyond it, the heap
  static constexpr std::size_t kChunkBytes = 64 * 1024;
  static constexpr std::uint32_t kBatchBlocks = 32;  // foreign blocks collected before they are sent home

  FramePool();
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  // Returns whether blocks of this size come from pools. The others come from the heap.
  [[nodiscard]] static constexpr bool pools(std::size_t bytes) noexcept { return kPools && bytes <= kPooledBytesMax; }

  // Returns a block of at least `bytes` bytes. Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    if (!pools(bytes)) [[unlikely]]
      return ::operator new(bytes);
    const std::size_t units = units_for(bytes);
    if (void* block = take_free(units)) [[likely]]
      return block;
    return allocate_slow(units);
  }
  // Returns a block that the pool has, or null if it needs another chunk. `bytes` must be a size that comes from pools.
  [[nodiscard]] void* try_allocate(std::size_t bytes) noexcept {
    const std::size_t units = units_for(bytes);
    if (void* block = take_free(units)) [[likely]]
      return block;
    return try_allocate_slow(units);
  }
  // Takes over a chunk of map_chunk().
  void add_chunk(void* memory) noexcept;

  // Frees `block` of `bytes` bytes, which allocate() or try_allocate() of any pool returned. Any thread may call this.
  static void deallocate(void* block, std::size_t bytes, FramePool* current_thread_pool) noexcept {
    if (!pools(bytes)) [[unlikely]]
      return ::operator delete(block);
    if (current_thread_pool == nullptr || home_of(block) != current_thread_pool) {
      return deallocate_foreign(block, bytes, current_thread_pool);
    }
    current_thread_pool->put(static_cast<FreeBlock*>(block), units_for(bytes));
    current_thread_pool->count_live(-1);
  }
  // Returns the pool to which a block belongs. `bytes` of the block must be a size that comes from pools.
  [[nodiscard]] static FramePool* home_of(void* block) noexcept { return chunk_of(block)->home; }

  // Sends every collected foreign block to its home pool. A worker calls this before it parks and before it ends.
  void flush_returns() noexcept;

  // Returns the number of blocks handed out and not yet returned to this pool. The number is exact while no other
  // thread frees blocks and all pools are flushed. Unpooled blocks are not counted, because they do not depend on the
  // pool. Any thread may call this.
  [[nodiscard]] std::size_t outstanding() const noexcept;

  // Returns whether so much memory is free that a trim() pays: more blocks than are in use, and some thousand. A hint.
  // Any thread may call this.
  [[nodiscard]] bool has_surplus() const noexcept;

  // Takes at most `blocks_max` blocks out of the free lists, and unmaps the chunks of which all blocks are free.
  // Returns false when the free lists are empty. The next allocations are slower.
  bool trim(std::uint32_t blocks_max) noexcept;
  // The two parts of trim(): the first lets the chunks hold free blocks. The second returns a chunk that holds all its
  // blocks, and is no longer the pool's; null if there is none. The caller unmaps it, or calls add_chunk().
  bool hold_free_blocks(std::uint32_t blocks_max) noexcept;
  [[nodiscard]] void* take_whole_chunk() noexcept;

  // Returns the size of all chunks. Any thread may call this.
  [[nodiscard]] std::size_t chunk_bytes() const noexcept;

 private:
  struct FreeBlock {
    FreeBlock* next;
    std::size_t units;  // valid outside the free lists
  };
  // In the first bytes of a chunk.
  struct Chunk {
    FramePool* home;
    Chunk* next;
    Chunk** link;  // the pointer that leads to this chunk
    FreeBlock* held;
    std::size_t held_units;
  };
  struct Batch {
    FramePool* home = nullptr;
    FreeBlock* first = nullptr;
    FreeBlock* last = nullptr;
    std::uint32_t count = 0;
  };
  class Chunks;
  static constexpr std::size_t kUnitBytes = kAlignment;
  // Number of batches, in which this pool collects freed blocks of other pools until it returns them. A hash of the
  // home pool's address selects the batch, so blocks of at most this number of other pools are collected at the same
  // time.
  static constexpr std::size_t kBatches = 16;

  static constexpr std::size_t units_for(std::size_t bytes) noexcept {
    return bytes == 0 ? 1 : (bytes + kUnitBytes - 1) / kUnitBytes;
  }
  static constexpr std::size_t kClasses = kPooledBytesMax / kUnitBytes;
  static_assert(kClasses * kUnitBytes == kPooledBytesMax && sizeof(FreeBlock) <= kUnitBytes);

  static Chunk* chunk_of(void* block) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    return reinterpret_cast<Chunk*>(static_cast<std::byte*>(block) - address % kChunkBytes);
  }

  static void deallocate_foreign(void* block, std::size_t bytes, FramePool* current_thread_pool) noexcept;

  // Takes a block out of its free list. Returns null if the list is empty.
  [[nodiscard]] void* take_free(std::size_t units) noexcept {
    FreeBlock*& free = free_[units - 1];
    FreeBlock* block = free;
    if (block == nullptr) return nullptr;
    free = block->next;
    count_live(1);
    return block;
  }
  [[nodiscard, gnu::noinline]] void* allocate_slow(std::size_t units);
  [[nodiscard, gnu::noinline]] void* try_allocate_slow(std::size_t units) noexcept;
  void collect(FreeBlock* block, FramePool* home) noexcept;
  void send_home(Batch& batch) noexcept;
  void push_returned(FreeBlock* first, FreeBlock* last, std::uint32_t count) noexcept;
  [[nodiscard]] FreeBlock* take_returned(std::size_t units) noexcept;

  void put(FreeBlock* block, std::size_t units) noexcept {
    FreeBlock*& free = free_[units - 1];
    block->next = free;
    free = block;
  }

  void count_live(std::int64_t change) noexcept {
    live_.store(live_.load(base::relaxed) + change, base::relaxed);  // relaxed: owner is the only writer; a statistic
  }

  std::array<FreeBlock*, kClasses> free_{};  // last in, first out: a block that is still in the cache is reused first
  // The number of blocks handed out minus the number freed on this thread. Blocks that other threads freed are not
  // subtracted; returned_count_ counts them.
  base::Atomic<std::int64_t> live_{0};
  std::unique_ptr<Chunks> chunks_;
  std::uint32_t collected_ = 0;  // number of blocks in all batches
  std::array<Batch, kBatches> batches_{};

  // The members below are written by other threads.
  alignas(base::kNoSharingBytes) base::Atomic<FreeBlock*> returned_{nullptr};
  base::Atomic<std::int64_t> returned_count_{0};  // number of blocks ever pushed to returned_
};

}  // namespace volt::coro
