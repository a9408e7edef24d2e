// SPDX-License-Identifier: MIT

// Memory for coroutine frames and task headers: one pool per worker, with free lists by size. It needs no lock and no
// read-modify-write as long as a block is freed where it was allocated. Blocks freed on another worker return to their
// home pool in batches.
//
// Threads: allocate, flush_returns and the destructor belong to the pool's thread. allocate_from and deallocate may be
// called on any thread; the caller passes its own thread's pool, or null if the thread has none.
// Lifetime: before a pool is destroyed, its blocks must be freed, and every pool that freed some of them must be
// flushed.
// Bound: the size of a pool is the largest amount of memory that was in use at one time since its last trim(), which
// the number of tasks limits. trim() returns to the kernel the chunks of which all blocks are free. A worker calls it
// when it is about to park, has_surplus() is true, and its last trim is a second ago (runtime/sched/trim.cpp).
//
// A block is a prefix of 16 bytes followed by the memory of the caller, which begins on a cache line. The prefix of a
// pooled block is written once, when the block is carved out of a chunk. Later allocations and deallocations of the
// block write only its first word.
//
// To find the chunks that are free, trim() takes the blocks out of the free lists, and each chunk holds its own. A
// chunk that holds all its blocks is unmapped. The others hold theirs until a free list is empty. So neither allocate()
// nor deallocate() counts the free blocks of a chunk, and a second trim() does not see the held blocks again.
//
// Under AddressSanitizer nothing is pooled: every block is a heap allocation of its own, so that the sanitizer detects
// use after free.
//
// Edges
//   F1  push_returned's exchange of returned_  ->  that of take_returned, or of trim : the freeing thread's writes
//       to a block, and the links of its batch, come before the home pool reuses the block. The exchange also acquires
//       the earlier pushes, because each push is a read-modify-write, which continues their release sequence
//
// Rejected: the freeing worker keeps the block (a worker that always frees the blocks of another grows without bound);
// a shared depot under a lock (workers contend for it in every burst); the heap (slower, and a free on another thread
// takes the lock of the owner's arena).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"

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
  static constexpr std::size_t kAlignment = base::kCacheLineBytes;  // alignment of every block
  static constexpr std::size_t kPooledBytesMax = 2096;  // 2 KiB and the rest of its last line; beyond it, the heap
  static constexpr std::size_t kChunkBytes = 64 * 1024;
  static constexpr std::uint32_t kBatchBlocks = 32;  // foreign blocks collected before they are sent home

  FramePool();
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  // Returns a block of at least `bytes` bytes. Throws std::bad_alloc.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    const std::size_t lines = lines_for(bytes);
    if (!kPools || lines > kClasses) return allocate_unpooled(bytes);
    FreeBlock*& free = free_[lines - 1];
    FreeBlock* block = free;
    if (block == nullptr) [[unlikely]]
      return allocate_slow(lines);
    free = block->next;
    count_live(1);
    return block;
  }

  [[nodiscard]] static void* allocate_from(FramePool* pool_or_null, std::size_t bytes) {
    return pool_or_null != nullptr ? pool_or_null->allocate(bytes) : allocate_unpooled(bytes);
  }

  // Frees `block`, which allocate() or allocate_from() of any pool returned. Any thread may call this.
  static void deallocate(void* block, FramePool* current_thread_pool) noexcept {
    const Prefix& prefix = prefix_of(block);
    FramePool* home = prefix.home;
    if (home == nullptr) return deallocate_unpooled(block);
    if (home != current_thread_pool) return deallocate_foreign(block, current_thread_pool);
    home->put(static_cast<FreeBlock*>(block));
    home->count_live(-1);
  }

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

  // Returns the size of all chunks. Any thread may call this.
  [[nodiscard]] std::size_t chunk_bytes() const noexcept;

 private:
  struct Prefix {
    FramePool* home;      // null for a block from the heap
    std::uint32_t lines;  // pooled block: size of the block with its prefix, in cache lines
    std::uint32_t ahead;  // bytes from the start of its allocation, or of its chunk, to the block
  };
  struct FreeBlock {
    FreeBlock* next;
  };
  struct Batch {
    FramePool* home = nullptr;
    FreeBlock* first = nullptr;
    FreeBlock* last = nullptr;
    std::uint32_t count = 0;
  };
  class Chunks;
  static constexpr std::size_t kLineBytes = base::kCacheLineBytes;
  // Number of batches, in which this pool collects freed blocks of other pools until it returns them. A hash of the
  // home pool's address selects the batch, so blocks of at most this number of other pools are collected at the same
  // time.
  static constexpr std::size_t kBatches = 16;

  static constexpr std::size_t lines_for(std::size_t bytes) noexcept {
    return bytes / kLineBytes + (bytes % kLineBytes + sizeof(Prefix) + kLineBytes - 1) / kLineBytes;
  }
  static constexpr std::size_t kClasses = (kPooledBytesMax + sizeof(Prefix)) / kLineBytes;

  static Prefix& prefix_of(void* block) noexcept {
    return *reinterpret_cast<Prefix*>(static_cast<std::byte*>(block) - sizeof(Prefix));
  }

  static void* allocate_unpooled(std::size_t bytes);
  static void deallocate_unpooled(void* block) noexcept;
  static void deallocate_foreign(void* block, FramePool* current_thread_pool) noexcept;

  void* allocate_slow(std::size_t lines);
  void collect(FreeBlock* block, FramePool* home) noexcept;
  void send_home(Batch& batch) noexcept;
  void push_returned(FreeBlock* first, FreeBlock* last, std::uint32_t count) noexcept;
  void take_returned() noexcept;

  void put(FreeBlock* block) noexcept {
    FreeBlock*& free = free_[prefix_of(block).lines - 1];
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
