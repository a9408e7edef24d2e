// SPDX-License-Identifier: MIT

// Lifetimes: counts the objects that a test hands to coroutines, to prove that each frame is destroyed exactly once.
//
// Threads: any. Lifetime: outlives its tokens.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/base/atomic.h"

namespace volt::test {

class Lifetimes {
 public:
  // Alive from its making to its end, however often it is moved. Given by value to a coroutine, it lives in its frame.
  class Token {
   public:
    explicit Token(Lifetimes& lifetimes) noexcept : lifetimes_(&lifetimes) {
      lifetimes.made_.fetch_add(1, base::relaxed);  // relaxed: counts are compared when all is quiet
    }
    Token(Token&& other) noexcept : lifetimes_(std::exchange(other.lifetimes_, nullptr)) {}
    Token& operator=(Token&&) = delete;
    ~Token() {
      if (lifetimes_ != nullptr) lifetimes_->ended_.fetch_add(1, base::relaxed);  // relaxed: as above
    }

   private:
    Lifetimes* lifetimes_;
  };

  [[nodiscard]] Token token() noexcept { return Token(*this); }
  [[nodiscard]] std::uint64_t made() const noexcept { return made_.load(base::relaxed); }    // relaxed: as above
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_.load(base::relaxed); }  // relaxed: as above

 private:
  base::Atomic<std::uint64_t> made_{0};
  base::Atomic<std::uint64_t> ended_{0};
};

}  // namespace volt::test
