// SPDX-License-Identifier: MIT

// AnyStuck: whether a worker may be stuck. Each search of a worker asks first, and asks each victim only if so: the
// progress word of a victim changes in each of its turns, so reading it moves a cache line (docs/scaling.md).
//
// The word holds the verdict of the watchdog's last sample, and the number of announcements (block_in_place) that no
// sample has seen. A sample takes back only those that were made before it began. If it took them all, it could clear
// the sign of a worker that it had visited before that worker's announcement, and the worker would wait for the next
// sample to be rescued.
//
// Threads: any; samples belong to one thread, one after the other. Lifetime: in the Watchdog.
//
// Edges
//   Y1  announce() is called  ->  begin_sample() : a sample that takes an announcement back sees which worker blocks
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"

namespace volt::sched {

class AnyStuck {
 public:
  [[nodiscard]] bool value() const noexcept { return word_.load(base::relaxed) != 0; }  // relaxed: a hint

  // Makes value() return true until a sample that begins later ends. Called by a worker whose task announces that it
  // blocks.
  void announce() noexcept { word_.fetch_add(kAnnouncement, base::release); }  // Y1

  // Begins a sample. Returns what end_sample() takes back.
  [[nodiscard]] std::uint64_t begin_sample() const noexcept { return word_.load(base::acquire); }  // Y1
  // Ends the sample for which begin_sample() returned `seen`. `stuck` is its verdict.
  void end_sample(std::uint64_t seen, bool stuck) noexcept {
    const std::uint64_t verdict = stuck ? 1 : 0;
    if (seen != verdict) word_.fetch_add(verdict - seen, base::relaxed);  // relaxed: a hint
  }

 private:
  static constexpr std::uint64_t kAnnouncement = 2;  // the lowest bit is the verdict of the last sample

  base::Atomic<std::uint64_t> word_{0};
};

}  // namespace volt::sched
