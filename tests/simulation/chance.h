// SPDX-License-Identifier: MIT

// Chance: the random number generator of a simulation, from one seed (splitmix64).
//
// Threads: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace volt::simulation {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  // Returns a number in [0, bound); `bound` must be above 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
  // Returns a number in [low, high].
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  [[nodiscard]] bool hits(double probability) noexcept {
    return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
  }
  [[nodiscard]] const auto& one_of(const auto& choices) noexcept { return choices[below(std::size(choices))]; }

 private:
  std::uint64_t state_;
};

}  // namespace volt::simulation
