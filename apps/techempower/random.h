// SPDX-License-Identifier: MIT

// Random: a fast pseudo-random generator (SplitMix64). Each request makes its own.
//
// Threads: one at a time.
#pragma once

#include <crypto/random.h>

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace techempower {

class Random {
 public:
  Random() noexcept { volt::crypto::fill_random(std::as_writable_bytes(std::span(&state_, 1))); }

  // Returns a number from 1 to 10,000, the range of a World's id and of its number.
  [[nodiscard]] int number() noexcept {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t bits = state_;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return static_cast<int>(((bits >> 32) * 10'000) >> 32) + 1;
  }

  // Returns `count` different numbers.
  [[nodiscard]] std::vector<int> ids(int count) {
    std::vector<int> ids;
    std::unordered_set<int> seen;
    while (ids.size() != static_cast<std::size_t>(count)) {
      const int id = number();
      if (seen.insert(id).second) ids.push_back(id);
    }
    return ids;
  }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace techempower
