// SPDX-License-Identifier: MIT

#include "tests/model/explorer/memory.h"

#include <algorithm>

namespace volt::model {
namespace {

constexpr bool acquires(std::memory_order order) noexcept {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
constexpr bool releases(std::memory_order order) noexcept {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t mixed = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd;
  mixed = (mixed ^ (mixed >> 32)) * 0xc4ceb9fe1a85ec53;
  return mixed ^ (mixed >> 29);
}

constexpr std::uint64_t mix_seen(const Knowledge& knowledge) noexcept {
  std::uint64_t mixed = 0;
  for (const std::uint8_t seen : knowledge.seen) mixed = mix(mixed, seen);
  return mixed;
}

constexpr std::size_t kStoresMax = 250;  // stores are numbered in one byte

}  // namespace

void Knowledge::join_seen(const Knowledge& other) noexcept {
  for (unsigned i = 0; i != kAtomicsMax; ++i) seen[i] = std::max(seen[i], other.seen[i]);
}

void Knowledge::join(const Knowledge& other) noexcept {
  join_seen(other);
  for (unsigned i = 0; i != kThreadsMax; ++i) clock[i] = std::max(clock[i], other.clock[i]);
}

void Memory::forget() noexcept {
  for (std::uint32_t i = 0; i != count_; ++i) {
    histories_[i].stores.clear();
    histories_[i].identity = 0;
    histories_[i].alive = false;
  }
  count_ = 0;
  full_ = false;
  threads_ = {};
  seq_cst_ = {};
  state_ = 0;
  for (unsigned i = 0; i != kThreadsMax; ++i) threads_[i].current.clock[i] = 1;
}

std::uint32_t Memory::create(unsigned thread, std::uint64_t value) noexcept {
  full_ = full_ || count_ == kAtomicsMax;
  if (full_) return 0;
  const std::uint32_t atomic = count_++;
  histories_[atomic].alive = true;
  append(thread, atomic, value, std::memory_order_relaxed, nullptr);
  return atomic;
}

void Memory::hand_over(unsigned from, unsigned to) noexcept {
  threads_[to].current.join(threads_[from].current);
  ++threads_[from].current.clock[from];
  set_past(to, mix(threads_[to].past, threads_[from].past));
}

unsigned Memory::visible(unsigned thread, std::uint32_t atomic, std::memory_order order) const noexcept {
  unsigned oldest = threads_[thread].current.seen[atomic];
  if (order == std::memory_order_seq_cst) oldest = std::max<unsigned>(oldest, seq_cst_.seen[atomic]);
  return stores(atomic) - oldest;
}

std::uint64_t Memory::value(std::uint32_t atomic, unsigned age) const noexcept {
  const auto& all = histories_[atomic].stores;
  return all[all.size() - 1 - age].value;
}

void Memory::set_past(unsigned thread, std::uint64_t past) noexcept {
  state_ += mix(past, thread) - mix(threads_[thread].past, thread);
  threads_[thread].past = past;
}

void Memory::note(unsigned thread, std::uint64_t observation) noexcept {
  set_past(thread, mix(threads_[thread].past, observation));
}

void Memory::must_see(unsigned thread, std::uint32_t atomic, unsigned store) noexcept {
  auto& seen = threads_[thread].current.seen[atomic];
  seen = std::max(seen, static_cast<std::uint8_t>(store));
}

void Memory::observe(unsigned thread, const Store& store, std::memory_order order) noexcept {
  Thread& self = threads_[thread];
  self.to_acquire.join(store.released);
  if (acquires(order)) self.current.join(store.released);
  note(thread, store.identity);
}

std::uint64_t Memory::load(unsigned thread, std::uint32_t atomic, std::memory_order order, unsigned age) noexcept {
  const auto& all = histories_[atomic].stores;
  const std::size_t number = all.size() - 1 - age;
  must_see(thread, atomic, static_cast<unsigned>(number));
  if (order == std::memory_order_seq_cst) {
    auto& seen = seq_cst_.seen[atomic];
    seen = std::max(seen, static_cast<std::uint8_t>(number));
  }
  observe(thread, all[number], order);
  return all[number].value;
}

void Memory::append(unsigned thread, std::uint32_t atomic, std::uint64_t value, std::memory_order order,
                    const Knowledge* sequence) noexcept {
  Thread& self = threads_[thread];
  History& history = histories_[atomic];
  if (history.stores.size() == kStoresMax) full_ = true;
  if (full_) return;
  const std::uint64_t identity = mix(self.past, thread + 1);
  must_see(thread, atomic, static_cast<unsigned>(history.stores.size()));
  Knowledge released = releases(order) ? self.current : self.to_release;
  if (sequence != nullptr) released.join(*sequence);
  history.stores.push_back({.value = value, .identity = identity, .released = released});
  if (order == std::memory_order_seq_cst) seq_cst_.seen[atomic] = static_cast<std::uint8_t>(history.stores.size() - 1);
  const std::uint64_t order_of_stores = mix(history.identity, identity);
  state_ += mix(order_of_stores, atomic) - mix(history.identity, atomic);
  history.identity = order_of_stores;
  ++self.current.clock[thread];
  note(thread, atomic);
}

void Memory::store(unsigned thread, std::uint32_t atomic, std::uint64_t value, std::memory_order order) noexcept {
  append(thread, atomic, value, order, nullptr);
}

void Memory::exchange(unsigned thread, std::uint32_t atomic, std::uint64_t value, std::memory_order order) noexcept {
  const Store read = histories_[atomic].stores.back();  // a copy, because the history grows
  observe(thread, read, order);
  append(thread, atomic, value, order, &read.released);  // continues the release sequence
}

void Memory::fence(unsigned thread, std::memory_order order) noexcept {
  Thread& self = threads_[thread];
  if (acquires(order)) self.current.join(self.to_acquire);
  if (order == std::memory_order_seq_cst) {
    note(thread, mix_seen(seq_cst_));
    self.current.join_seen(seq_cst_);
    seq_cst_.join_seen(self.current);
  }
  if (releases(order)) self.to_release = self.current;
  ++self.current.clock[thread];
  note(thread, static_cast<std::uint64_t>(order));
}

}  // namespace volt::model
