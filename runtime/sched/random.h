// SPDX-License-Identifier: MIT

// Random: a worker's random numbers, to choose victims and start positions. The generator is xorshift64+ (Marsaglia;
// Tokio and Go use it, too). Not for secrets. Equal seeds give equal sequences.
//
// Threads: one.
#pragma once

#include <cstdint>

namespace volt::sched {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept {
    // The finalizer of splitmix64: neighboring seeds (worker 0, 1, 2) must not give neighboring sequences.
    std::uint64_t mixed = seed + 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    older_ = static_cast<std::uint32_t>(mixed);
    newer_ = static_cast<std::uint32_t>(mixed >> 32);
    if (mixed == 0) newer_ = 1;  // the only state that xorshift cannot leave
  }

  // Returns a number uniformly distributed over all 32-bit numbers.
  [[nodiscard]] std::uint32_t next() noexcept {
    std::uint32_t mixed = older_;
    mixed ^= mixed << 17;
    mixed ^= mixed >> 7 ^ newer_ ^ newer_ >> 16;
    older_ = newer_;
    newer_ = mixed;
    return older_ + newer_;
  }

  // Returns a number uniformly distributed over [0, bound), or 0 when `bound` is 0 or 1. Uses Lemire's reduction; its
  // rejection step keeps some results from occurring more often than others. The function divides only if a number may
  // have to be rejected, with a probability of `bound` / 2^32.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept {
    std::uint64_t product = std::uint64_t{next()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t rejected = -bound % bound;  // 2^32 modulo bound
      while (static_cast<std::uint32_t>(product) < rejected) product = std::uint64_t{next()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  std::uint32_t older_;
  std::uint32_t newer_;
};

}  // namespace volt::sched
