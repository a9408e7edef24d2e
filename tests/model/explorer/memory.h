// SPDX-License-Identifier: MIT

// Memory: determines which stores the threads of one execution may see.
//
// Every atomic keeps the history of its stores. Each thread has a position in each history up to which it has seen the
// stores; a load may return any store from that position on, so an ordering that is too weak shows as an old value. A
// store carries the knowledge that its thread has released, and a thread that acquires the store gains this knowledge.
// This is the C++20 memory model in its operational form (RC11 without load buffering): coherence, release sequences,
// fences, and seq_cst as one common knowledge that seq_cst fences exchange.
//
// Not covered: a load never returns a later store (no load buffering; the supported compilers do not apply it to
// relaxed accesses that depend on each other), and the stores of an atomic are ordered as they were carried out (so two
// blind stores that race for the last place are tried in both orders, but never seen in two orders at once).
//
// `clock` is the other half of the knowledge: how much of each other thread *happens before* the current moment. Plain
// accesses are checked against it (plain_memory.h). A seq_cst fence alone does not advance it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/model/explorer/site.h"

namespace volt::model {

inline constexpr unsigned kThreadsMax = 8;
inline constexpr unsigned kAtomicsMax = 96;

struct Knowledge {
  std::array<std::uint8_t, kAtomicsMax> seen{};    // indexed by atomic: stores before this one are no longer visible
  std::array<std::uint16_t, kThreadsMax> clock{};  // indexed by thread

  void join_seen(const Knowledge& other) noexcept;
  void join(const Knowledge& other) noexcept;
};

class Memory {
 public:
  Memory() { histories_.resize(kAtomicsMax); }

  // Resets the memory for another execution.
  void forget() noexcept;

  // Creates an atomic with its first store. Returns its number.
  [[nodiscard]] std::uint32_t create(unsigned thread, std::uint64_t value) noexcept;
  void destroy(std::uint32_t atomic) noexcept { histories_[atomic].alive = false; }
  [[nodiscard]] bool alive(std::uint32_t atomic) const noexcept { return histories_[atomic].alive; }
  // Returns whether there were more atomics, or more stores to one, than can be recorded: the execution is then
  // invalid.
  [[nodiscard]] bool full() const noexcept { return full_; }

  // Gives thread `to` all the knowledge of thread `from`, as when a thread starts or ends.
  void hand_over(unsigned from, unsigned to) noexcept;

  // Returns how many stores a load may choose from, at least 1. Number 0 is the newest.
  [[nodiscard]] unsigned visible(unsigned thread, std::uint32_t atomic, std::memory_order order) const noexcept;
  [[nodiscard]] std::uint64_t value(std::uint32_t atomic, unsigned age) const noexcept;
  [[nodiscard]] std::uint64_t newest(std::uint32_t atomic) const noexcept { return value(atomic, 0); }
  [[nodiscard]] unsigned stores(std::uint32_t atomic) const noexcept {
    return static_cast<unsigned>(histories_[atomic].stores.size());
  }

  std::uint64_t load(unsigned thread, std::uint32_t atomic, std::memory_order order, unsigned age) noexcept;
  void store(unsigned thread, std::uint32_t atomic, std::uint64_t value, std::memory_order order) noexcept;
  // Performs a read-modify-write. It reads the newest store and follows it directly.
  void exchange(unsigned thread, std::uint32_t atomic, std::uint64_t value, std::memory_order order) noexcept;
  void fence(unsigned thread, std::memory_order order) noexcept;
  // Makes all stores of `atomic` older than number `store` invisible to `thread` from now on.
  void must_see(unsigned thread, std::uint32_t atomic, unsigned store) noexcept;

  [[nodiscard]] const Knowledge& known_by(unsigned thread) const noexcept { return threads_[thread].current; }
  // Returns a hash of everything that decides how the execution continues. It is equal for executions that differ only
  // in the order of independent operations.
  [[nodiscard]] std::uint64_t state() const noexcept { return state_; }
  // Records that the thread has observed something other than memory.
  void note(unsigned thread, std::uint64_t observation) noexcept;

 private:
  struct Store {
    std::uint64_t value;
    std::uint64_t identity;  // which thread stored it, and after which past
    Knowledge released;
  };
  struct History {
    std::vector<Store> stores;
    std::uint64_t identity = 0;
    bool alive = false;
  };
  struct Thread {
    Knowledge current;
    Knowledge to_acquire;  // seen by relaxed loads; an acquire fence makes it current
    Knowledge to_release;  // published by later relaxed stores, because of a release fence
    std::uint64_t past = 0;
  };

  void append(unsigned thread, std::uint32_t atomic, std::uint64_t value, std::memory_order order,
              const Knowledge* sequence) noexcept;
  void observe(unsigned thread, const Store& store, std::memory_order order) noexcept;
  void set_past(unsigned thread, std::uint64_t past) noexcept;

  std::vector<History> histories_;
  std::uint32_t count_ = 0;
  bool full_ = false;
  std::array<Thread, kThreadsMax> threads_{};
  Knowledge seq_cst_;
  std::uint64_t state_ = 0;
};

}  // namespace volt::model
