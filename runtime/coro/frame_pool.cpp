// SPDX-License-Identifier: MIT

#include "runtime/coro/frame_pool.h"

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "runtime/base/cache_line.h"
#include "runtime/base/check.h"
#include "runtime/coro/chunk_memory.h"

namespace volt::coro {
namespace {

// A pool keeps this many free blocks without regard to their size: some 100 KiB to 4 MiB.
constexpr std::int64_t kSurplusBlocksMin = 2048;

// An allocation looks for a block of its size in at most this many chunks that hold blocks.
constexpr int kHoldingChunksTried = 4;

// An allocation looks at no more than this many of the blocks that other threads returned, because it may hold a lock
// (SharedFramePool). They may be all blocks of a burst of tasks.
constexpr int kReturnedTried = 256;

}  // namespace

// The chunks of a pool.
class FramePool::Chunks {
 public:
  Chunks() = default;
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;
  ~Chunks() {
    for (Chunk* list : {in_use_, holding_, whole_}) {
      while (list != nullptr) std::ignore = unmap_chunk(std::exchange(list, list->next), kChunkBytes);
    }
  }

  // Adds a chunk. Puts the rest of the old one into the free lists of `pool`.
  void add(FramePool& pool, void* memory) noexcept {
    while (uncarved_units_ != 0) {
      const std::size_t units = std::min(uncarved_units_, kClasses);
      pool.put(carve_from_chunk(units), units);
    }
    auto* chunk =
        ::new (memory) Chunk{.home = &pool, .next = nullptr, .link = nullptr, .held = nullptr, .held_units = 0};
    insert(chunk, in_use_);
    count(count_, 1);
    uncarved_ = static_cast<std::byte*>(memory) + kChunkBytes - kChunkUnits * kUnitBytes;
    uncarved_units_ = kChunkUnits;
  }

  // Returns a new block, or null if the rest of the newest chunk is too small.
  [[nodiscard]] FreeBlock* carve(std::size_t units) noexcept {
    return uncarved_units_ < units ? nullptr : carve_from_chunk(units);
  }

  // Lets the chunk of a free block hold it.
  void hold(FreeBlock* block, std::size_t units) noexcept {
    Chunk* chunk = chunk_of(block);
    if (chunk->held == nullptr) move(chunk, holding_);
    block->next = chunk->held;
    block->units = units;
    chunk->held = block;
    chunk->held_units += units;
    count(circulating_, -1);
    if (chunk->held_units == kChunkUnits) move(chunk, whole_);
  }

  // Removes a chunk that holds all its blocks. Returns null if there is none.
  [[nodiscard]] void* take_whole() noexcept {
    Chunk* chunk = whole_;
    if (chunk == nullptr) return nullptr;
    remove(chunk);
    count(count_, -1);
    return chunk;
  }

  // Puts the blocks that one chunk holds into the free lists of `pool`. Returns false if no chunk holds blocks.
  bool release_held(FramePool& pool) noexcept {
    Chunk* chunk = holding_;
    if (chunk == nullptr) return false;
    move(chunk, in_use_);
    chunk->held_units = 0;
    FreeBlock* block = std::exchange(chunk->held, nullptr);
    while (block != nullptr) {
      FreeBlock* const next = block->next;
      count(circulating_, 1);
      pool.put(block, block->units);
      block = next;
    }
    return true;
  }

  // Returns the number of blocks that exist and are not held. Any thread.
  [[nodiscard]] std::int64_t circulating() const noexcept {
    return circulating_.load(base::relaxed);  // relaxed: a statistic
  }
  // Any thread.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(count_.load(base::relaxed)) * kChunkBytes;  // relaxed: a statistic
  }

  FreeBlock* unsorted = nullptr;  // blocks that other threads returned, and that are in no free list yet

 private:
  static constexpr std::size_t kChunkUnits = (kChunkBytes - sizeof(Chunk)) / kUnitBytes;  // without the Chunk

  static void count(base::Atomic<std::int64_t>& number, std::int64_t change) noexcept {
    number.store(number.load(base::relaxed) + change, base::relaxed);  // relaxed: owner is the only writer; a statistic
  }

  static void insert(Chunk* chunk, Chunk*& list) noexcept {
    chunk->next = list;
    chunk->link = &list;
    if (list != nullptr) list->link = &chunk->next;
    list = chunk;
  }
  static void remove(Chunk* chunk) noexcept {
    *chunk->link = chunk->next;
    if (chunk->next != nullptr) chunk->next->link = chunk->link;
  }
  static void move(Chunk* chunk, Chunk*& list) noexcept {
    remove(chunk);
    insert(chunk, list);
  }

  [[nodiscard]] FreeBlock* carve_from_chunk(std::size_t units) noexcept {
    auto* block = ::new (uncarved_) FreeBlock{.next = nullptr, .units = units};
    uncarved_ += units * kUnitBytes;
    uncarved_units_ -= units;
    count(circulating_, 1);
    return block;
  }

  Chunk* in_use_ = nullptr;        // chunks that hold no block
  Chunk* holding_ = nullptr;       // chunks that hold some of their blocks
  Chunk* whole_ = nullptr;         // chunks that hold all their blocks, until trim() unmaps them
  std::byte* uncarved_ = nullptr;  // the next block in the newest chunk
  std::size_t uncarved_units_ = 0;
  base::Atomic<std::int64_t> circulating_{0};
  base::Atomic<std::int64_t> count_{0};
};

FramePool::FramePool() : chunks_(std::make_unique<Chunks>()) {}

FramePool::~FramePool() {
  VOLT_CHECK(collected_ == 0);  // the owner must call flush_returns first: the home pools still miss these blocks
}

void FramePool::flush_returns() noexcept {
  if (collected_ == 0) return;
  for (Batch& batch : batches_) {
    if (batch.count != 0) send_home(batch);
  }
}

std::size_t FramePool::outstanding() const noexcept {
  const std::int64_t back = returned_count_.load(base::relaxed);  // relaxed: a statistic
  const std::int64_t live = live_.load(base::relaxed);            // relaxed: a statistic
  return live > back ? static_cast<std::size_t>(live - back) : 0;
}

bool FramePool::has_surplus() const noexcept {
  const std::int64_t circulating = chunks_->circulating();
  if (circulating < kSurplusBlocksMin) return false;
  const auto used = static_cast<std::int64_t>(outstanding());
  return circulating - used >= std::max(kSurplusBlocksMin, used);
}

std::size_t FramePool::chunk_bytes() const noexcept { return chunks_->bytes(); }

bool FramePool::trim(std::uint32_t blocks_max) noexcept {
  const bool more = hold_free_blocks(blocks_max);
  while (void* chunk = take_whole_chunk()) {
    if (!unmap_chunk(chunk, kChunkBytes)) add_chunk(chunk);
  }
  return more;
}

void* FramePool::take_whole_chunk() noexcept { return chunks_->take_whole(); }

bool FramePool::hold_free_blocks(std::uint32_t blocks_max) noexcept {
  FreeBlock*& unsorted = chunks_->unsorted;
  if (unsorted == nullptr) unsorted = returned_.exchange(nullptr, base::acquire);  // F1
  for (; unsorted != nullptr; --blocks_max) {
    if (blocks_max == 0) return true;
    FreeBlock* block = std::exchange(unsorted, unsorted->next);
    chunks_->hold(block, block->units);
  }
  for (std::size_t units = 1; units <= kClasses; ++units) {
    for (FreeBlock*& list = free_[units - 1]; list != nullptr; --blocks_max) {
      if (blocks_max == 0) return true;
      chunks_->hold(std::exchange(list, list->next), units);
    }
  }
  return false;
}

void FramePool::add_chunk(void* memory) noexcept { chunks_->add(*this, memory); }

void FramePool::deallocate_foreign(void* block, std::size_t bytes, FramePool* current_thread_pool) noexcept {
  FramePool* home = home_of(block);
  auto* freed = ::new (block) FreeBlock{.next = nullptr, .units = units_for(bytes)};
  if (current_thread_pool == nullptr) {
    home->push_returned(freed, freed, 1);
  } else {
    current_thread_pool->collect(freed, home);
  }
}

// Called when the free list is empty. First takes back the blocks that other threads returned, then blocks that chunks
// hold. If none of them has the right size, carves a new block.
void* FramePool::try_allocate_slow(std::size_t units) noexcept {
  void* block = take_returned(units);
  for (int tries = kHoldingChunksTried; block == nullptr && tries != 0; --tries) {
    if (!chunks_->release_held(*this)) break;
    block = take_free(units);
  }
  if (block != nullptr) return block;
  block = chunks_->carve(units);
  if (block != nullptr) count_live(1);
  return block;
}

void* FramePool::allocate_slow(std::size_t units) {
  void* block = try_allocate_slow(units);
  if (block != nullptr) return block;
  add_chunk(map_chunk(kChunkBytes));
  count_live(1);
  return chunks_->carve(units);
}

void FramePool::collect(FreeBlock* block, FramePool* home) noexcept {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: spreads addresses over the top bits
  static_assert(kBatches == 16, "the hash keeps the top four bits");
  Batch& batch = batches_[reinterpret_cast<std::uintptr_t>(home) * kGolden >> 60];
  if (batch.count != 0 && batch.home != home) send_home(batch);
  block->next = batch.first;
  batch.first = block;
  if (batch.count == 0) {
    batch.home = home;
    batch.last = block;
  }
  ++batch.count;
  ++collected_;
  if (batch.count == kBatchBlocks) send_home(batch);
}

void FramePool::send_home(Batch& batch) noexcept {
  collected_ -= batch.count;
  batch.home->push_returned(batch.first, batch.last, batch.count);
  batch = Batch{};
}

void FramePool::push_returned(FreeBlock* first, FreeBlock* last, std::uint32_t count) noexcept {
  returned_count_.fetch_add(count, base::relaxed);  // relaxed: a statistic
  FreeBlock* head = returned_.load(base::relaxed);  // relaxed: the exchange decides
  do {
    last->next = head;
  } while (!returned_.compare_exchange_weak(head, first, base::release,  // F1
                                            base::relaxed));  // relaxed: a failed exchange is only retried
}

// Takes a block of `units` out of those that other threads returned. Returns null if none of the first kReturnedTried
// has this size; those go to the free lists. Another processor has written the blocks, so the next one is loaded while
// the caller uses this one.
FramePool::FreeBlock* FramePool::take_returned(std::size_t units) noexcept {
  FreeBlock*& unsorted = chunks_->unsorted;
  // relaxed: a hint, the exchange decides
  if (unsorted == nullptr && returned_.load(base::relaxed) != nullptr) {
    unsorted = returned_.exchange(nullptr, base::acquire);  // F1
  }
  for (int left = kReturnedTried; unsorted != nullptr && left != 0; --left) {
    FreeBlock* block = std::exchange(unsorted, unsorted->next);
    if (unsorted != nullptr) base::prefetch_line(unsorted);
    if (block->units == units) {
      count_live(1);
      return block;
    }
    put(block, block->units);
  }
  return nullptr;
}

}  // namespace volt::coro
