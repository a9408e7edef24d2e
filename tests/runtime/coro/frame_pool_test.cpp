// SPDX-License-Identifier: MIT

#include "runtime/coro/frame_pool.h"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/coro/chunk_memory.h"
#include "runtime/coro/shared_frame_pool.h"

namespace volt::coro {
namespace {

constexpr bool kPools = FramePool::kPools;  // false under AddressSanitizer, where every block comes from the heap

bool is_aligned(void* block) { return reinterpret_cast<std::uintptr_t>(block) % FramePool::kAlignment == 0; }

}  // namespace

TEST_SUITE_BEGIN("runtime/coro/frame_pool");

TEST_CASE("blocks of every size are aligned, do not overlap and are counted") {
  FramePool pool;
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  std::size_t pooled = 0;
  for (std::size_t bytes = 0; bytes != 2200; ++bytes) {
    auto* block = static_cast<unsigned char*>(pool.allocate(bytes));
    REQUIRE(is_aligned(block));
    std::memset(block, static_cast<int>(bytes % 251), bytes);
    blocks.emplace_back(block, bytes);
    pooled += bytes <= FramePool::kPooledBytesMax ? 1 : 0;
  }
  CHECK(pool.outstanding() == (kPools ? pooled : 0));
  for (const auto& [block, bytes] : blocks) {
    bool whole = true;
    for (std::size_t i = 0; i != bytes; ++i) whole = whole && block[i] == bytes % 251;
    CHECK(whole);
    FramePool::deallocate(block, bytes, &pool);
  }
  CHECK(pool.outstanding() == 0);
}

TEST_CASE("large blocks come from the heap and are returned to it from any thread") {
  FramePool pool;
  constexpr std::size_t kBytes = 1 << 20;
  void* block = pool.allocate(kBytes);
  CHECK(is_aligned(block));
  CHECK(pool.outstanding() == 0);
  CHECK(pool.chunk_bytes() == 0);
  FramePool::deallocate(block, kBytes, &pool);
  FramePool::deallocate(pool.allocate(kBytes), kBytes, nullptr);
}

TEST_CASE("the block freed last is reused first, by any size of its class" * doctest::skip(!kPools)) {
  FramePool pool;
  void* first = pool.allocate(200);
  void* second = pool.allocate(200);
  FramePool::deallocate(first, 200, &pool);
  FramePool::deallocate(second, 200, &pool);
  CHECK(pool.allocate(193) == second);
  CHECK(pool.allocate(208) == first);
  FramePool::deallocate(first, 208, &pool);
  FramePool::deallocate(second, 193, &pool);
}

TEST_CASE("blocks freed on another thread return to their home pool in batches" * doctest::skip(!kPools)) {
  constexpr std::size_t kBatch = FramePool::kBatchBlocks;
  FramePool home;
  FramePool elsewhere;
  std::vector<void*> blocks;
  std::set<void*> known;
  for (std::size_t i = 0; i != 2 * kBatch; ++i) {
    blocks.push_back(home.allocate(500));
    known.insert(blocks.back());
  }
  for (std::size_t i = 0; i != kBatch - 1; ++i) FramePool::deallocate(blocks[i], 500, &elsewhere);
  CHECK(home.outstanding() == 2 * kBatch);  // none has returned yet
  FramePool::deallocate(blocks[kBatch - 1], 500, &elsewhere);
  CHECK(home.outstanding() == kBatch);
  FramePool::deallocate(blocks[kBatch], 500, &elsewhere);
  elsewhere.flush_returns();
  elsewhere.flush_returns();
  CHECK(home.outstanding() == kBatch - 1);
  FramePool::deallocate(blocks[kBatch + 1], 500, nullptr);  // a thread without a pool returns each block by itself
  CHECK(home.outstanding() == kBatch - 2);
  CHECK(elsewhere.outstanding() == 0);

  for (std::size_t i = 0; i != kBatch + 2; ++i) {
    blocks[i] = home.allocate(500);
    CHECK(known.contains(blocks[i]));  // the blocks have returned and are reused
  }
  CHECK_FALSE(known.contains(blocks.emplace_back(home.allocate(500))));
  for (void* block : blocks) FramePool::deallocate(block, 500, &home);
  CHECK(home.outstanding() == 0);
}

TEST_CASE("returned blocks of several sizes are all reused, whatever the order of the sizes" * doctest::skip(!kPools)) {
  constexpr std::size_t kSizes[] = {100, 200, 300};
  constexpr std::size_t kBlocks = 600;
  FramePool pool;
  const auto allocate = [&pool](std::size_t bytes) { return std::pair(pool.allocate(bytes), bytes); };
  std::vector<std::pair<void*, std::size_t>> blocks;
  for (std::size_t i = 0; i != kBlocks; ++i) blocks.push_back(allocate(kSizes[i % 3]));
  const std::size_t chunk_bytes = pool.chunk_bytes();
  for (const auto& [block, bytes] : blocks) FramePool::deallocate(block, bytes, nullptr);
  CHECK(pool.outstanding() == 0);

  std::set<void*> distinct;
  blocks.clear();
  for (const std::size_t bytes : kSizes) {  // the first size finds its blocks between those of the others
    for (std::size_t i = 0; i != kBlocks / 3; ++i) distinct.insert(blocks.emplace_back(allocate(bytes)).first);
  }
  CHECK(distinct.size() == kBlocks);
  CHECK(pool.outstanding() == kBlocks);
  CHECK(pool.chunk_bytes() == chunk_bytes);
  for (const auto& [block, bytes] : blocks) FramePool::deallocate(block, bytes, &pool);
  CHECK(pool.outstanding() == 0);
}

TEST_CASE("blocks of more home pools than can be collected for at once all return") {
  std::vector<std::unique_ptr<FramePool>> homes(50);
  for (auto& home : homes) home = std::make_unique<FramePool>();
  FramePool elsewhere;
  for (int round = 0; round != 100; ++round) {
    for (auto& home : homes) FramePool::deallocate(home->allocate(64 + round), 64 + round, &elsewhere);
  }
  elsewhere.flush_returns();
  for (auto& home : homes) CHECK(home->outstanding() == 0);
}

TEST_CASE("the rest of a chunk is reused" * doctest::skip(!kPools)) {
  FramePool pool;
  constexpr std::size_t kBytes = 2048;
  std::vector<void*> blocks;
  std::set<std::uintptr_t> chunks;
  const auto chunk = [](void* block) { return reinterpret_cast<std::uintptr_t>(block) / FramePool::kChunkBytes; };
  for (int i = 0; i != 32; ++i)
    chunks.insert(chunk(blocks.emplace_back(pool.allocate(kBytes))));  // 31 fit into a chunk
  CHECK(chunks.size() == 2);
  constexpr std::size_t kRest = FramePool::kChunkBytes - 48 - 31 * kBytes;  // 48: the chunk's own data
  void* rest = pool.allocate(kRest);
  CHECK(chunk(rest) == chunk(blocks.front()));
  CHECK(pool.chunk_bytes() == 2 * FramePool::kChunkBytes);
  for (void* block : blocks) FramePool::deallocate(block, kBytes, &pool);
  FramePool::deallocate(rest, kRest, &pool);
  CHECK(pool.outstanding() == 0);
}

namespace {

std::vector<void*> allocate_many(FramePool& pool, std::size_t count, std::size_t bytes) {
  std::vector<void*> blocks(count);
  for (void*& block : blocks) block = pool.allocate(bytes);
  return blocks;
}

void trim_all(FramePool& pool) {
  while (pool.trim(100)) continue;
}

}  // namespace

TEST_CASE("a trim gives the chunks back of which all blocks are free, wherever they were freed" *
          doctest::skip(!kPools)) {
  FramePool home;
  FramePool elsewhere;
  CHECK(home.chunk_bytes() == 0);
  for (int round = 0; round != 3; ++round) {
    std::vector<void*> blocks = allocate_many(home, 5000, 300);
    const auto bytes_of = [](std::size_t i) { return i < 5000 ? 300 : 1 + (i - 5000) * 2; };
    while (blocks.size() != 6000) blocks.push_back(home.allocate(bytes_of(blocks.size())));
    CHECK(home.chunk_bytes() >= 6000 * 300);
    CHECK_FALSE(home.has_surplus());
    for (std::size_t i = 0; i != blocks.size(); ++i) {
      FramePool::deallocate(blocks[i], bytes_of(i), i % 3 == 0 ? &home : i % 3 == 1 ? &elsewhere : nullptr);
    }
    elsewhere.flush_returns();
    CHECK(home.outstanding() == 0);
    CHECK(home.has_surplus());
    trim_all(home);
    CHECK(home.chunk_bytes() <= FramePool::kChunkBytes);  // of the newest chunk, a part was never handed out
    CHECK_FALSE(home.has_surplus());
  }
}

TEST_CASE("a trim keeps the chunks with a block in use, whose other blocks are reused" * doctest::skip(!kPools)) {
  FramePool pool;
  std::vector<void*> blocks = allocate_many(pool, 20'000, 200);
  const std::size_t all_bytes = pool.chunk_bytes();
  std::set<void*> known(blocks.begin(), blocks.end());
  std::vector<void*> used;
  for (std::size_t i = 0; i != blocks.size(); ++i) {
    if (i % 2000 == 0) {
      used.push_back(blocks[i]);
    } else {
      FramePool::deallocate(blocks[i], 200, &pool);
    }
  }
  trim_all(pool);
  CHECK(pool.outstanding() == used.size());
  CHECK(pool.chunk_bytes() <= (used.size() + 1) * FramePool::kChunkBytes);
  CHECK(pool.chunk_bytes() < all_bytes / 4);
  CHECK_FALSE(pool.has_surplus());

  const std::size_t kept_bytes = pool.chunk_bytes();
  for (int i = 0; i != 1000; ++i) {
    used.push_back(pool.allocate(200));
    CHECK(known.contains(used.back()));
  }
  CHECK(std::set<void*>(used.begin(), used.end()).size() == used.size());
  CHECK(pool.chunk_bytes() == kept_bytes);
  for (void* block : used) FramePool::deallocate(block, 200, &pool);
  trim_all(pool);
  CHECK(pool.chunk_bytes() <= FramePool::kChunkBytes);
}

TEST_CASE("a trim that stops between two steps loses no block" * doctest::skip(!kPools)) {
  FramePool pool;
  const std::vector<void*> blocks = allocate_many(pool, 3000, 100);
  const std::set<void*> known(blocks.begin(), blocks.end());
  for (void* block : blocks) FramePool::deallocate(block, 100, nullptr);
  CHECK(pool.trim(50));
  CHECK(pool.trim(50));
  const std::vector<void*> again = allocate_many(pool, 2900, 100);  // the hundred belong to a chunk that holds them
  for (void* block : again) CHECK(known.contains(block));
  for (void* block : again) FramePool::deallocate(block, 100, &pool);
  trim_all(pool);
  CHECK(pool.chunk_bytes() <= FramePool::kChunkBytes);
}

namespace {

// A frame that threads pass to each other; it records the byte that fills it.
struct PassedFrame {
  PassedFrame* queue_next = nullptr;
  std::size_t bytes = 0;
  unsigned char fill = 0;

  static PassedFrame* make(void* memory, std::size_t bytes, unsigned char fill) {
    auto* frame = ::new (memory) PassedFrame{.queue_next = nullptr, .bytes = bytes, .fill = fill};
    std::memset(static_cast<void*>(frame + 1), fill, bytes);
    return frame;
  }
  // Returns false if another thread has overwritten the content.
  [[nodiscard]] bool whole() const {
    const auto* content = reinterpret_cast<const unsigned char*>(this + 1);
    for (std::size_t i = 0; i != bytes; ++i) {
      if (content[i] != fill) return false;
    }
    return true;
  }
};

struct Mailbox {
  base::SpinLock lock;
  base::Chain<PassedFrame> frames;
};

}  // namespace

TEST_CASE("frames created, passed on and freed on any thread are never shared, and all return to their home pool") {
  constexpr std::size_t kThreads = 5;  // the last two threads have no pools
  constexpr std::size_t kRounds = 15'000;
  std::array<FramePool, kThreads - 2> pools;
  SharedFramePool shared;
  std::array<Mailbox, kThreads> mailboxes;
  base::Atomic<std::size_t> torn{0};

  const auto take = [&](std::size_t from) {
    Mailbox& mailbox = mailboxes[from];
    mailbox.lock.lock();
    PassedFrame* frame = mailbox.frames.pop_front();
    mailbox.lock.unlock();
    return frame;
  };
  const auto drop = [&](PassedFrame* frame, FramePool* pool) {
    if (!frame->whole()) torn.fetch_add(1, base::relaxed);  // relaxed: read after the join
    const std::size_t bytes = sizeof(PassedFrame) + frame->bytes;
    pool != nullptr ? FramePool::deallocate(frame, bytes, pool) : shared.deallocate(frame, bytes);
  };
  const auto work = [&](std::size_t me) {
    FramePool* pool = me < pools.size() ? &pools[me] : nullptr;
    std::uint32_t random = static_cast<std::uint32_t>(me) * 7919 + 1;
    for (std::size_t round = 0; round != kRounds; ++round) {
      random = random * 1664525 + 1013904223;
      const std::size_t bytes = (random >> 8) % (round % 16 == 0 ? 3000 : 400);
      const std::size_t all_bytes = sizeof(PassedFrame) + bytes;
      void* memory = pool != nullptr ? pool->allocate(all_bytes) : shared.allocate(all_bytes);
      PassedFrame* frame = PassedFrame::make(memory, bytes, static_cast<unsigned char>(random >> 24));
      Mailbox& mailbox = mailboxes[(random >> 4) % kThreads];
      mailbox.lock.lock();
      mailbox.frames.push_back(frame);
      mailbox.lock.unlock();
      for (int i = 0; i != 2; ++i) {
        if (PassedFrame* received = take(me)) drop(received, pool);
      }
      if (pool != nullptr && round % 512 == 0) pool->flush_returns();
      if (round % 1024 < 8) pool != nullptr ? pool->trim(64) : shared.trim(64);
    }
    if (pool != nullptr) pool->flush_returns();
  };
  std::vector<std::thread> threads;
  for (std::size_t me = 1; me != kThreads; ++me) threads.emplace_back(work, me);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (std::size_t me = 0; me != kThreads; ++me) {
    while (PassedFrame* frame = take(me)) drop(frame, nullptr);
  }

  CHECK(torn.load(base::relaxed) == 0);  // relaxed: joined
  for (const FramePool& pool : pools) CHECK(pool.outstanding() == 0);
  CHECK(shared.outstanding() == 0);
  while (shared.trim(1000)) continue;
  CHECK(shared.chunk_bytes() <= FramePool::kChunkBytes);
}

TEST_CASE("a chunk begins at a multiple of its size, also if the kernel places it elsewhere at first") {
  constexpr std::size_t kBytes = FramePool::kChunkBytes;
  std::vector<void*> chunks;
  std::vector<void*> pages;
  for (int i = 0; i != 50; ++i) {
    chunks.push_back(map_chunk(kBytes));
    CHECK(reinterpret_cast<std::uintptr_t>(chunks.back()) % kBytes == 0);
    std::memset(chunks.back(), i, kBytes);
    if (i % 2 == 0) pages.push_back(map_chunk(4096));  // the next mapping begins a page lower
  }
  for (void* chunk : chunks) CHECK(unmap_chunk(chunk, kBytes));
  for (void* page : pages) CHECK(unmap_chunk(page, 4096));
}

TEST_SUITE_END();

}  // namespace volt::coro
