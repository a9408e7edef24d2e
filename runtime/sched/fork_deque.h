// SPDX-License-Identifier: MIT

// ForkDeque: the jobs that one worker offers with fork(). The owner adds jobs and takes them back at the bottom, where
// the newest jobs are. Thieves take jobs from the top, where the oldest and largest jobs are. It is a bounded Chase-Lev
// deque whose newest part is private to the owner:
//
//     top <= split <= bottom <= top + kCapacity
//
//   [top, split)     on offer: the Chase-Lev deque
//   [split, bottom)  private: taken back without a fence
//
// The number of jobs to keep on offer is fixed at construction; a push refills the offer up to that number. In a
// recursion the jobs on offer are the oldest and largest ones. Nearly all jobs stay private, and are pushed and popped
// without a fence or a read-modify-write. A private job comes on offer at a later push of the owner. The delay matters
// only if thieves take all jobs on offer before the owner pushes again.
//
// Threads: push, pop and newest belong to the owner; any thread may call steal, on_offer and fence.
// Lifetime: the deque holds pointers only. A job belongs to a frame that does not end before the job was popped, or its
// thief has finished it.
//
// Edges
//   D1  push and pop store split_  ->  steal loads split_ : a job and its slot are written before the job is on offer
//   D2  a thief's claim of top_  ->  push loads top_ : a slot is read before it is used again
//   D3  pop stores split_; fence; loads top_  x  steal loads top_; fence; loads split_ : if the owner finds its
//       youngest job unclaimed and it is not the last job, no thief sees that job on offer
//   D4  every claim of top_  x  every other claim : all are read-modify-writes of the one word, so a position has one
//       taker
//
// Orderings: Le, Pop, Cohen, Zappa Nardelli, "Correct and efficient work-stealing for weak memory models", PPoPP 2013.
// Rejected: all jobs on offer (rayon; the fence at every pop was measured to be a large part of the cost of a small
// fork); keeping all jobs private until a thief requests one (Lace, private deques; an owner that is busy in one half
// of a long fork does not notice the request); a growing deque (not needed: when the deque is full the thieves have
// plenty of jobs, so the forker runs both calls itself).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"

namespace volt::sched {

template <class Job, std::uint32_t kCapacity = 256, class Atomics = base::RealAtomics>
class ForkDeque {
  static_assert(kCapacity >= 2 && (kCapacity & (kCapacity - 1)) == 0, "slots are found by masking a position");

 public:
  // `on_offer` is the number of jobs to keep on offer, if there are that many.
  explicit ForkDeque(std::uint32_t on_offer) noexcept : kept_on_offer_(on_offer) {}
  ForkDeque(const ForkDeque&) = delete;
  ForkDeque& operator=(const ForkDeque&) = delete;

  enum class Push : std::uint8_t {
    full,
    pushed,
    offered,  // pushed, and no job was on offer before
  };

  // Adds a job at the bottom. Owner only.
  [[nodiscard]] Push push(Job& job) noexcept {
    const std::int64_t top = top_.load(base::acquire);      // D2
    const std::int64_t split = split_.load(base::relaxed);  // relaxed: owner is the only writer
    if (bottom_ - top >= kCapacity) return Push::full;
    slot(bottom_).store(&job, base::relaxed);  // relaxed: published by D1
    ++bottom_;
    if (split - top >= kept_on_offer_) return Push::pushed;
    split_.store(std::min(bottom_, top + kept_on_offer_), base::release);  // D1
    return split == top ? Push::offered : Push::pushed;
  }

  // Takes back the job that was pushed last. Returns false if a thief has that job; thieves then have every older job,
  // too. Owner only.
  [[nodiscard]] bool pop() noexcept {
    const std::int64_t split = split_.load(base::relaxed);  // relaxed: owner is the only writer
    if (bottom_ != split) {
      --bottom_;
      return true;
    }
    return take_back(split - 1);
  }

  // Returns the job that pop() would take back; null if the deque is empty. A thief may have that job. Owner only.
  [[nodiscard]] Job* newest() noexcept {
    if (bottom_ == top_.load(base::relaxed)) return nullptr;  // relaxed: pop() decides
    return slot(bottom_ - 1).load(base::relaxed);             // relaxed: the owner wrote it
  }

  // Returns the oldest job on offer; null if there is none, or if another thread took it at this moment. Called by
  // thieves.
  [[nodiscard]] Job* steal() noexcept {
    std::int64_t top = top_.load(base::relaxed);            // relaxed: D3 is the fence's
    fence();                                                // D3
    const std::int64_t split = split_.load(base::acquire);  // D1
    if (top >= split) return nullptr;
    Job* job = slot(top).load(base::relaxed);  // relaxed: kept by D2 if the claim below succeeds, else not used
    if (!top_.compare_exchange_strong(top, top + 1, base::release,  // D2 D4
                                      base::relaxed)) {             // relaxed: no claim
      return nullptr;
    }
    return job;
  }

  // Returns whether a job is on offer. The result is an estimate, but it takes into account every push that a fence
  // orders before this call.
  [[nodiscard]] bool on_offer() const noexcept {
    return top_.load(base::relaxed) < split_.load(base::relaxed);  // relaxed: a hint
  }

  // Orders the calling thread's earlier accesses before its later ones, as seen by a thread that executes the fence in
  // steal().
  void fence() noexcept { Atomics::full_fence(fence_word_); }  // D3

 private:
  template <class T>
  using Atomic = typename Atomics::template Atomic<T>;

  Atomic<Job*>& slot(std::int64_t position) noexcept {
    return slots_[static_cast<std::uint64_t>(position) & (kCapacity - 1)];
  }

  // Takes back the job at position `last`, the newest one on offer. Returns false if a thief has taken it. Only the
  // owner may call this, and only if no job is private.
  [[nodiscard]] bool take_back(std::int64_t last) noexcept {
    split_.store(last, base::release);            // D1: older jobs stay on offer
    fence();                                      // D3
    std::int64_t top = top_.load(base::relaxed);  // relaxed: D3 is the fence's
    if (top < last) {
      bottom_ = last;
      return true;
    }
    const bool mine = top == last && top_.compare_exchange_strong(top, top + 1, base::relaxed,  // relaxed: D4
                                                                  base::relaxed);  // relaxed: a thief came first
    split_.store(last + 1, base::relaxed);  // relaxed: nothing is on offer, since top_ has this value, too
    return mine;
  }

  // The owner's cache line.
  alignas(base::kNoSharingBytes) std::int64_t bottom_ = 0;
  Atomic<std::int64_t> split_{0};
  const std::int64_t kept_on_offer_;
  // The thieves' cache line.
  alignas(base::kNoSharingBytes) Atomic<std::int64_t> top_{0};
  alignas(base::kNoSharingBytes) Atomic<std::uint64_t> fence_word_{0};  // used only where fences are exchanges
  alignas(base::kNoSharingBytes) std::array<Atomic<Job*>, kCapacity> slots_{};
};

}  // namespace volt::sched
