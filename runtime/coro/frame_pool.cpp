// SPDX-License-Identifier: MIT

#include "runtime/coro/frame_pool.h"

#include <new>

#include "runtime/base/check.h"

namespace volt::coro {

FramePool::~FramePool() {
  VOLT_CHECK(collected_ == 0);  // the owner must call flush_returns first: the home pools still miss these blocks
  while (chunks_ != nullptr) {
    Chunk* chunk = chunks_;
    chunks_ = chunk->next;
    ::operator delete(chunk, std::align_val_t{kLineBytes});
  }
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

// Called when the free list is empty. First takes back the blocks that other threads returned. If none of them has the
// right size, carves a new block.
void* FramePool::allocate_slow(std::size_t lines) {
  FreeBlock*& free = free_[lines - 1];
  FreeBlock* block = take_returned() ? free : nullptr;
  if (block != nullptr) {
    free = block->next;
  } else {
    block = carve(lines);
  }
  count_live(1);
  return block;
}

FramePool::FreeBlock* FramePool::carve(std::size_t lines) {
  if (uncarved_lines_ < lines) {
    if (uncarved_lines_ != 0) put(carve_from_chunk(uncarved_lines_));  // the rest of the old chunk becomes one block
    auto* memory = static_cast<std::byte*>(::operator new(kChunkBytes, std::align_val_t{kLineBytes}));
    chunks_ = ::new (memory) Chunk{.next = chunks_};
    static_assert(sizeof(Chunk) <= kLineBytes - sizeof(Prefix));
    uncarved_ = memory + kLineBytes - sizeof(Prefix);
    uncarved_lines_ = kChunkBytes / kLineBytes - 1;  // the first line holds the Chunk
  }
  return carve_from_chunk(lines);
}

FramePool::FreeBlock* FramePool::carve_from_chunk(std::size_t lines) noexcept {
  ::new (uncarved_) Prefix{.home = this, .lines = static_cast<std::uint32_t>(lines), .ahead = 0};
  auto* block = ::new (uncarved_ + sizeof(Prefix)) FreeBlock{.next = nullptr};
  uncarved_ += lines * kLineBytes;
  uncarved_lines_ -= lines;
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

// Sorts the blocks that other threads returned into the free lists. Returns false if there were none.
bool FramePool::take_returned() noexcept {
  if (returned_.load(base::relaxed) == nullptr) return false;     // relaxed: a hint, the exchange decides
  FreeBlock* block = returned_.exchange(nullptr, base::acquire);  // F1
  while (block != nullptr) {
    FreeBlock* next = block->next;
    put(block);
    block = next;
  }
  return true;
}

}  // namespace volt::coro
