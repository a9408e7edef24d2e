// The fork deque of one worker: jobs that fork() offers. Its owner adds and takes back at the young end, thieves take
// from the old one, where the large jobs are. A bounded Chase-Lev deque whose young part is the owner's alone:
//
//     top <= split <= bottom <= top + kCapacity
//
//   [top, split)     on offer: the Chase-Lev deque
//   [split, bottom)  private: taken back without a fence
//
// An add keeps as many jobs on offer as the owner said. In a recursion these are its oldest and largest jobs; all the
// others, which are nearly all, come and go without a fence or a read-modify-write. A private job waits for the owner's
// next add: thieves must have taken all that was on offer within one leaf of the recursion for that to matter.
//
// Threads: push and pop belong to the owner; steal, on_offer and fence: any.
// Lifetime: holds pointers only. A job belongs to a frame that does not end before it has been popped, or its thief is
// done with it.
//
// Edges
//   D1  push and pop store split_  ->  steal loads split_ : a job and its slot are written before it is on offer
//   D2  a thief's claim of top_  ->  push loads top_ : a slot is read before it is used again
//   D3  pop stores split_; fence; loads top_  x  steal loads top_; fence; loads split_ : if the owner sees its youngest
//       job unclaimed and not the last, no thief sees it on offer
//   D4  every claim of top_  x  every other : all are read-modify-writes of the one word, so a position has one taker
//
// Orderings: Le, Pop, Cohen, Zappa Nardelli, "Correct and efficient work-stealing for weak memory models", PPoPP 2013.
// Rejected: all jobs on offer (a fence at every pop is half the cost of a small fork; rayon); private jobs until a thief
// asks (Lace, private deques: a fork of two long halves has no moment at which the owner could hear the question); a
// deque that grows (a fork that finds it full runs alone: the thieves have plenty).
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
  // Keeps `on_offer` jobs on offer, of as many as there are.
  explicit ForkDeque(std::uint32_t on_offer) noexcept : kept_on_offer_(on_offer) {}
  ForkDeque(const ForkDeque&) = delete;
  ForkDeque& operator=(const ForkDeque&) = delete;

  enum class Push : std::uint8_t {
    full,
    pushed,
    offered,  // pushed, and there was nothing on offer before
  };

  // Owner.
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

  // Owner. Takes back the job pushed last; false: a thief has it, and every older one is gone, too.
  [[nodiscard]] bool pop() noexcept {
    const std::int64_t split = split_.load(base::relaxed);  // relaxed: owner is the only writer
    if (bottom_ != split) {
      --bottom_;
      return true;
    }
    return take_back(split - 1);
  }

  // Thief: the oldest job on offer; null if there is none, or another took it at this moment.
  [[nodiscard]] Job* steal() noexcept {
    std::int64_t top = top_.load(base::relaxed);            // relaxed: D3 is the fence's
    fence();                                                // D3
    const std::int64_t split = split_.load(base::acquire);  // D1
    if (top >= split) return nullptr;
    Job* job = slot(top).load(base::relaxed);  // relaxed: kept by D2 if the claim below is good, else not looked at
    if (!top_.compare_exchange_strong(top, top + 1, base::release,  // D2 D4
                                      base::relaxed)) {             // relaxed: no claim
      return nullptr;
    }
    return job;
  }

  // An estimate; exact after a push that the caller's fence orders before it.
  [[nodiscard]] bool on_offer() const noexcept {
    return top_.load(base::relaxed) < split_.load(base::relaxed);  // relaxed: a hint
  }

  // Orders what the calling thread did before against what it does next, for whoever meets here with a steal().
  void fence() noexcept { Atomics::full_fence(fence_word_); }  // D3

 private:
  template <class T>
  using Atomic = typename Atomics::template Atomic<T>;

  Atomic<Job*>& slot(std::int64_t position) noexcept {
    return slots_[static_cast<std::uint64_t>(position) & (kCapacity - 1)];
  }

  // Owner, without private jobs: takes position `last`, which is on offer unless a thief has it.
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
    split_.store(last + 1, base::relaxed);  // relaxed: nothing is on offer, since top_ is there, too
    return mine;
  }

  // The owner's line.
  alignas(base::kNoSharingBytes) std::int64_t bottom_ = 0;
  Atomic<std::int64_t> split_{0};
  const std::int64_t kept_on_offer_;
  // The thieves'.
  alignas(base::kNoSharingBytes) Atomic<std::int64_t> top_{0};
  alignas(base::kNoSharingBytes) Atomic<std::uint64_t> fence_word_{0};  // touched only where fences are exchanges
  alignas(base::kNoSharingBytes) std::array<Atomic<Job*>, kCapacity> slots_{};
};

}  // namespace volt::sched
