// SPDX-License-Identifier: MIT

// WorkerSet: a set of workers, one bit each. A worker that searches reads one cache line for 512 workers, instead of a
// word of each (docs/scaling.md). Two such sets exist: the workers with a backlog that is worth a theft
// (Scheduler::backlogs), and those that may be stuck (stuck_workers.h).
//
// Threads: any.
//
// Edges
//   W1  add of a worker  ->  remove of it : what was written before it was added is seen after it was removed
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"

namespace volt::sched {

class WorkerSet {
 public:
  // An empty set. `count` workers may be added, with the indices below.
  explicit WorkerSet(std::uint32_t count)
      : word_count_((count + 63) / 64),
        lines_(std::make_unique<Line[]>((word_count_ + kWordsInLine - 1) / kWordsInLine)) {}

  void add(std::uint32_t worker) noexcept { word_of(worker).fetch_or(bit(worker), base::release); }       // W1
  void remove(std::uint32_t worker) noexcept { word_of(worker).fetch_and(~bit(worker), base::acquire); }  // W1

  // Return hints, unless a fence orders the change before the call.
  [[nodiscard]] bool contains(std::uint32_t worker) const noexcept {
    return (word_of(worker).load(base::relaxed) & bit(worker)) != 0;  // relaxed: a hint
  }
  [[nodiscard]] bool empty() const noexcept {
    for (std::uint32_t i = 0; i != word_count_; ++i) {
      if (word(i).load(base::relaxed) != 0) return false;  // relaxed: a hint
    }
    return true;
  }

 private:
  using Word = base::Atomic<std::uint64_t>;
  static constexpr std::uint32_t kWordsInLine = 8;

  struct alignas(base::kNoSharingBytes) Line {
    Word words[kWordsInLine]{};
  };

  static constexpr std::uint64_t bit(std::uint32_t worker) noexcept { return std::uint64_t{1} << worker % 64; }
  [[nodiscard]] Word& word(std::uint32_t index) const noexcept {
    return lines_[index / kWordsInLine].words[index % kWordsInLine];
  }
  [[nodiscard]] Word& word_of(std::uint32_t worker) const noexcept { return word(worker / 64); }

  std::uint32_t word_count_;
  std::unique_ptr<Line[]> lines_;
};

}  // namespace volt::sched
