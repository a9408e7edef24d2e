// SPDX-License-Identifier: MIT

// Backlogs: which workers have a backlog that is worth a theft, one bit each. A worker that searches reads one cache
// line for 512 workers, instead of the queue of each (docs/scaling.md).
//
// A bit is a hint. Its worker sets it when the backlog has become worth a theft, and clears it when that has ended, so a
// worker that keeps up with its events writes nothing.
//
// Threads: show and hide belong to the worker that they name; any thread may call the rest.
// Rejected: a bit that thieves clear, too. Its worker would have to read the line to know whether it is still set.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"

namespace volt::sched {

class Backlogs {
 public:
  explicit Backlogs(std::uint32_t workers)
      : word_count_((workers + 63) / 64),
        lines_(std::make_unique<Line[]>((word_count_ + kWordsInLine - 1) / kWordsInLine)) {}

  void show(std::uint32_t worker) noexcept { word(worker).fetch_or(bit(worker), base::relaxed); }    // relaxed: a hint
  void hide(std::uint32_t worker) noexcept { word(worker).fetch_and(~bit(worker), base::relaxed); }  // relaxed: a hint

  [[nodiscard]] bool has(std::uint32_t worker) const noexcept {
    return (word(worker).load(base::relaxed) & bit(worker)) != 0;  // relaxed: a hint
  }
  // Returns whether a worker has one.
  [[nodiscard]] bool any() const noexcept {
    for (std::uint32_t i = 0; i != word_count_; ++i) {
      if (word_at(i).load(base::relaxed) != 0) return true;  // relaxed: a hint
    }
    return false;
  }

 private:
  using Word = base::Atomic<std::uint64_t>;
  static constexpr std::uint32_t kWordsInLine = 8;

  struct alignas(base::kNoSharingBytes) Line {
    Word words[kWordsInLine]{};
  };

  static constexpr std::uint64_t bit(std::uint32_t worker) noexcept { return std::uint64_t{1} << worker % 64; }
  [[nodiscard]] Word& word_at(std::uint32_t index) const noexcept {
    return lines_[index / kWordsInLine].words[index % kWordsInLine];
  }
  [[nodiscard]] Word& word(std::uint32_t worker) const noexcept { return word_at(worker / 64); }

  std::uint32_t word_count_;
  std::unique_ptr<Line[]> lines_;
};

}  // namespace volt::sched
