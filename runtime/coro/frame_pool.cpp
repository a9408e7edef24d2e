// SPDX-License-Identifier: MIT

#include "runtime/coro/frame_pool.h"

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/coro/chunk_memory.h"

namespace volt::coro {
namespace {

// A pool keeps this many free blocks without regard to their size: some 100 KiB to 4 MiB.
constexpr std::int64_t kSurplusBlocksMin = 2048;

// An allocation looks for a block of its size in at most this many chunks that hold blocks.
constexpr int kHoldingChunksTried = 4;

}  // namespace

// The chunks of a pool.
class FramePool::Chunks {
 public:
  Chunks() = default;
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;
  ~Chunks() {
    for (Chunk* list : {in_use_, holding_}) {
      while (list != nullptr) std::ignore = unmap_chunk(std::exchange(list, list->next), kChunkBytes);
    }
  }

  // Returns a new block. Puts the rest of the old chunk into a free list of `pool` if it is too small.
  [[nodiscard]] FreeBlock* carve(FramePool& pool, std::size_t lines) {
    if (uncarved_lines_ < lines) {
      if (uncarved_lines_ != 0) pool.put(carve_from_chunk(pool, uncarved_lines_));
      add_chunk();
    }
    return carve_from_chunk(pool, lines);
  }

  // Lets the chunk of a free block hold it. Unmaps the chunk if it holds all its blocks.
  void hold(FreeBlock* block) noexcept {
    const Prefix& prefix = prefix_of(block);
    Chunk* chunk = reinterpret_cast<Chunk*>(reinterpret_cast<std::byte*>(block) - prefix.ahead);
    if (chunk->held == nullptr) move(chunk, holding_);
    block->next = chunk->held;
    chunk->held = block;
    chunk->held_lines += prefix.lines;
    count(circulating_, -1);
    if (chunk->held_lines == kChunkLines) unmap(chunk);
  }

  // Puts the blocks that one chunk holds into the free lists of `pool`. Returns false if no chunk holds blocks.
  bool release_held(FramePool& pool) noexcept {
    Chunk* chunk = holding_;
    if (chunk == nullptr) return false;
    move(chunk, in_use_);
    chunk->held_lines = 0;
    FreeBlock* block = std::exchange(chunk->held, nullptr);
    while (block != nullptr) {
      count(circulating_, 1);
      pool.put(std::exchange(block, block->next));
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

  FreeBlock* unsorted = nullptr;  // blocks that other threads returned and that trim() has not yet reached

 private:
  // In the first cache line of a chunk, before the prefix of the first block.
  struct Chunk {
    Chunk* next;
    Chunk** link;  // the pointer that leads to this chunk
    FreeBlock* held;
    std::uint32_t held_lines;
  };
  static_assert(sizeof(Chunk) <= kLineBytes - sizeof(Prefix));
  static_assert(sizeof(Prefix) == 16);
  static_assert(kClasses * kLineBytes == kPooledBytesMax + sizeof(Prefix), "the largest class is used to its end");
  static constexpr std::uint32_t kChunkLines = kChunkBytes / kLineBytes - 1;  // without that of the Chunk

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

  void add_chunk() {
    void* memory = coro::map_chunk(kChunkBytes);
    newest_ = ::new (memory) Chunk{.next = nullptr, .link = nullptr, .held = nullptr, .held_lines = 0};
    insert(newest_, in_use_);
    count(count_, 1);
    uncarved_ = static_cast<std::byte*>(memory) + kLineBytes - sizeof(Prefix);
    uncarved_lines_ = kChunkLines;
  }

  [[nodiscard]] FreeBlock* carve_from_chunk(FramePool& pool, std::size_t lines) noexcept {
    auto* block = ::new (uncarved_ + sizeof(Prefix)) FreeBlock{.next = nullptr};
    const std::ptrdiff_t ahead = reinterpret_cast<std::byte*>(block) - reinterpret_cast<std::byte*>(newest_);
    ::new (uncarved_)
        Prefix{.home = &pool, .lines = static_cast<std::uint32_t>(lines), .ahead = static_cast<std::uint32_t>(ahead)};
    uncarved_ += lines * kLineBytes;
    uncarved_lines_ -= lines;
    count(circulating_, 1);
    return block;
  }

  // If the memory cannot be unmapped, the chunk keeps its blocks.
  void unmap(Chunk* chunk) noexcept {
    remove(chunk);
    if (!unmap_chunk(chunk, kChunkBytes)) return insert(chunk, holding_);
    count(count_, -1);
  }

  Chunk* in_use_ = nullptr;        // chunks that hold no block
  Chunk* holding_ = nullptr;       // chunks that hold some of their blocks
  Chunk* newest_ = nullptr;        // unmapped if uncarved_lines_ is 0, maybe
  std::byte* uncarved_ = nullptr;  // prefix of the next block in the newest chunk
  std::size_t uncarved_lines_ = 0;
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
  FreeBlock*& unsorted = chunks_->unsorted;
  if (unsorted == nullptr) unsorted = returned_.exchange(nullptr, base::acquire);  // F1
  const auto hold_all = [&](FreeBlock*& list) {
    for (; list != nullptr; --blocks_max) {
      if (blocks_max == 0) return false;
      chunks_->hold(std::exchange(list, list->next));
    }
    return true;
  };
  return !hold_all(unsorted) || !std::ranges::all_of(free_, hold_all);
}

void* FramePool::allocate_unpooled(std::size_t bytes) {
  // This function aligns the block itself, because the aligned operator new was measured to be slower. The heap aligns
  // memory to 16 bytes, so at least 16 bytes precede the next cache line, enough for the prefix. One additional line is
  // therefore sufficient.
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ % sizeof(Prefix) == 0);
  auto* memory = static_cast<std::byte*>(::operator new(kLineBytes + bytes));
  const auto past_line = reinterpret_cast<std::uintptr_t>(memory) % kLineBytes;
  const auto ahead = static_cast<std::uint32_t>(kLineBytes - past_line);
  ::new (memory + ahead - sizeof(Prefix)) Prefix{.home = nullptr, .lines = 0, .ahead = ahead};
  return memory + ahead;
}

void FramePool::deallocate_unpooled(void* block) noexcept {
  ::operator delete(static_cast<std::byte*>(block) - prefix_of(block).ahead);
}

void FramePool::deallocate_foreign(void* block, FramePool* current_thread_pool) noexcept {
  FramePool* home = prefix_of(block).home;
  auto* freed = static_cast<FreeBlock*>(block);
  if (current_thread_pool == nullptr) {
    home->push_returned(freed, freed, 1);
  } else {
    current_thread_pool->collect(freed, home);
  }
}

// Called when the free list is empty. First takes back the blocks that other threads returned, then blocks that chunks
// hold. If none of them has the right size, carves a new block.
void* FramePool::allocate_slow(std::size_t lines) {
  FreeBlock*& free = free_[lines - 1];
  take_returned();
  for (int tries = kHoldingChunksTried; free == nullptr && tries != 0; --tries) {
    if (!chunks_->release_held(*this)) break;
  }
  FreeBlock* block = free;
  if (block != nullptr) {
    free = block->next;
  } else {
    block = chunks_->carve(*this, lines);
  }
  count_live(1);
  return block;
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

// Sorts the blocks that other threads returned into the free lists.
void FramePool::take_returned() noexcept {
  const auto sort = [this](FreeBlock* block) {
    while (block != nullptr) put(std::exchange(block, block->next));
  };
  sort(std::exchange(chunks_->unsorted, nullptr));
  if (returned_.load(base::relaxed) == nullptr) return;  // relaxed: a hint, the exchange decides
  sort(returned_.exchange(nullptr, base::acquire));      // F1
}

}  // namespace volt::coro
