// SPDX-License-Identifier: MIT

// VictimWalk: the order in which a thief visits the workers. The walk starts at a random worker and advances by a
// random stride. The stride is coprime to the number of workers, so the walk visits each worker exactly once. Two
// thieves rarely take the same walk, so they rarely contend for the same victims.
//
// Threads: any, because a VictimWalk never changes after its construction. The Random is the calling worker's own.
// Rejected: a random start and steps of one, after which all thieves follow the first to the next victim; random draws,
// which miss some workers and visit others twice.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "runtime/sched/random.h"

namespace volt::sched {

class VictimWalk {
 public:
  explicit VictimWalk(std::uint32_t count) : count_(count) {
    for (std::uint32_t stride = 1; stride <= count; ++stride) {
      if (std::gcd(stride, count) == 1) strides_.push_back(stride);
    }
  }

  // Calls visit(index) for every index in [0, count), once each, until it returns true. Returns whether it did.
  template <class Visit>
  bool visit_all(Random& random, Visit&& visit) const {
    if (count_ == 0) return false;
    std::uint32_t index = random.below(count_);
    const std::uint32_t stride = strides_[random.below(static_cast<std::uint32_t>(strides_.size()))];
    for (std::uint32_t visited = 0; visited != count_; ++visited) {
      if (visit(index)) return true;
      index = index < count_ - stride ? index + stride : index - (count_ - stride);
    }
    return false;
  }

  // Visits in the same manner, but first the indices at the place of index `thief` (WorkerPlaces).
  template <class Places, class Visit>
  bool visit_near_first(Random& random, const Places& places, std::uint32_t thief, Visit&& visit) const {
    if (!places.several()) return visit_all(random, visit);
    const auto here = places.of(thief);
    const auto visit_those = [&](bool near) {
      return visit_all(random, [&](std::uint32_t index) { return (places.of(index) == here) == near && visit(index); });
    };
    return visit_those(true) || visit_those(false);
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

 private:
  std::uint32_t count_;
  std::vector<std::uint32_t> strides_;  // all strides up to count_ that are coprime to it; {1} for one worker
};

}  // namespace volt::sched
