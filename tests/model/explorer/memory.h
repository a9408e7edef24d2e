// Memory: what the threads of one execution may see of each other.
//
// Every atomic keeps the history of its stores. A thread knows up to where it has seen each history; a load may return
// any store from there on, so an ordering that is too weak shows as an old value. A store carries what its thread had
// released, and whoever acquires it then knows that too. This is C++20 as operational models have it (RC11 without load
// buffering): coherence, release sequences, fences, and seq_cst by one common knowledge that seq_cst fences exchange.
//
// Not covered: a load never returns a store that is yet to come (no load buffering, which no compiler of ours does
// to relaxed accesses that depend on each other), and the stores of an atomic are ordered as they were carried out (so
// two blind stores racing for the last place are tried in both orders, but never seen in two orders at once).
//
// `clock` is the other half of the knowledge: how much of each other thread *happens before* this moment, which plain
// accesses are judged by (plain_memory.h). Seq_cst alone gives none of that.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/model/explorer/site.h"

namespace volt::model {

inline constexpr unsigned kThreadsMax = 8;
inline constexpr unsigned kAtomicsMax = 96;

struct Knowledge {
  std::array<std::uint8_t, kAtomicsMax> seen{};    // by atomic: stores before this one are out of sight
  std::array<std::uint16_t, kThreadsMax> clock{};  // by thread

  void join_seen(const Knowledge& other) noexcept;
  void join(const Knowledge& other) noexcept;
};

class Memory {
 public:
  Memory() { histories_.resize(kAtomicsMax); }

  // For another execution.
  void forget() noexcept;

  // A new atomic with its first store.
  [[nodiscard]] std::uint32_t create(unsigned thread, std::uint64_t value) noexcept;
  void destroy(std::uint32_t atomic) noexcept { histories_[atomic].alive = false; }
  [[nodiscard]] bool alive(std::uint32_t atomic) const noexcept { return histories_[atomic].alive; }
  // There were more atomics, or stores to one, than are kept: the execution counts for nothing.
  [[nodiscard]] bool full() const noexcept { return full_; }

  // A thread starts with, or at its end hands over, all that another knows.
  void hand_over(unsigned from, unsigned to) noexcept;

  // How many stores a load may choose from, at least 1. Number 0 is the newest.
  [[nodiscard]] unsigned visible(unsigned thread, std::uint32_t atomic, std::memory_order order) const noexcept;
  [[nodiscard]] std::uint64_t value(std::uint32_t atomic, unsigned age) const noexcept;
  [[nodiscard]] std::uint64_t newest(std::uint32_t atomic) const noexcept { return value(atomic, 0); }
  [[nodiscard]] unsigned stores(std::uint32_t atomic) const noexcept {
    return static_cast<unsigned>(histories_[atomic].stores.size());
  }

  std::uint64_t load(unsigned thread, std::uint32_t atomic, std::memory_order order, unsigned age) noexcept;
  void store(unsigned thread, std::uint32_t atomic, std::uint64_t value, std::memory_order order) noexcept;
  // A read-modify-write: of the newest store, which it follows at once.
  void exchange(unsigned thread, std::uint32_t atomic, std::uint64_t value, std::memory_order order) noexcept;
  void fence(unsigned thread, std::memory_order order) noexcept;
  // From now on `thread` sees no store of `atomic` older than number `store`.
  void must_see(unsigned thread, std::uint32_t atomic, unsigned store) noexcept;

  [[nodiscard]] const Knowledge& known_by(unsigned thread) const noexcept { return threads_[thread].current; }
  // Of everything that decides how the execution goes on: equal for executions that differ only in the order of
  // operations that do not meet.
  [[nodiscard]] std::uint64_t state() const noexcept { return state_; }
  // The thread has observed something besides memory.
  void note(unsigned thread, std::uint64_t observation) noexcept;

 private:
  struct Store {
    std::uint64_t value;
    std::uint64_t identity;  // who stored it, after which past
    Knowledge released;
  };
  struct History {
    std::vector<Store> stores;
    std::uint64_t identity = 0;
    bool alive = false;
  };
  struct Thread {
    Knowledge current;
    Knowledge to_acquire;  // what relaxed loads have met: an acquire fence takes it in
    Knowledge to_release;  // what a release fence has put under later relaxed stores
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
