// SPDX-License-Identifier: MIT

// IdleState: which workers sleep and which search for work. One 64-bit word per 32 workers holds parked bits in its low
// half and searching bits in its high half. A claim moves a worker from parked to searching in one exchange, so one
// word records atomically which workers sleep and why a worker was woken.
//
// Threads: any thread may call claim_one, claim and the counts. try_start_search, stop_search, park and unpark belong
// to the worker that they name.
//
// A worker's two bits, {searching, parked}:
//
//     running {0,0} --try_start_search--> searching {1,0} --stop_search--> running
//     running or searching --park--> parked {0,1} --unpark--> running
//     parked --claim_one--> searching        parked --claim--> running       (by another thread, which then wakes it)
//
// Invariant S: a worker whose searching bit is set sweeps every queue before it sleeps, and if it leaves the search
//     with work as the last searcher it calls claim_one. A searching worker that parks, but finds work in its re-check
//     and does not sleep, must search again: pushers that saw it search have relied on it. (try_start_search refuses
//     such a worker only if enough others search.)
// Invariant P: a worker re-checks every queue after its parked bit is set and before it sleeps.
//
// Hence no push is overlooked. The pusher reads the words after its fence. It sees a parked worker and wakes it; or it
// sees a searcher, which is bound by S; or it sees no parked worker, and every worker that parks later is bound by P.
//
// Edges
//   I1  push; fence; load of a word  x  park's change of that word; fence; re-check : one of the two sees the other.
//       Both fences are needed, even if the words were seq_cst (checked with a model checker)
//   I2  park's release of a word  ->  a claim's acquire : the claimer sees the worker's writes before it parked
//   I3  a claim's release of a word  ->  unpark's acquire : the woken worker sees why it was woken
//   I4  stop_search's change of its word; fence; loads of the others  x  the same steps of another worker : of two
//       searchers in different words that stop together, at least one sees that it was the last. (Within one word, the
//       change itself shows it)
//   I5  push; fence; load of a word  x  the last searcher's change of that word; fence; its caller's check of the
//       queues : if a pusher still sees a searcher, the searcher sees the push
//
// All fences use the word fence_word_. Under the thread sanitizer a fence is a read-modify-write of its word, so the
// fences of both sides of I1 and I4 must use one common word. With more than one group of workers, no word of a group
// is common to both sides.
//
// Rejected: a bitmap and a searcher count in two words (the two may disagree for a moment; a searcher is then lost, and
// all later wakes are suppressed); waking by broadcast; a periodic wake-up that hides such errors.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/base/check.h"

namespace volt::sched {

template <class Atomics = base::RealAtomics>
class BasicIdleState {
 public:
  static constexpr std::uint32_t kWorkersMax = 1024;

  // All workers start running.
  explicit BasicIdleState(std::uint32_t worker_count)
      : worker_count_(worker_count), group_count_((worker_count + 31) / 32) {
    VOLT_CHECK(worker_count >= 1 && worker_count <= kWorkersMax);
    groups_ = std::make_unique<Group[]>(group_count_);
  }

  // Claims a parked worker to search, unless a worker searches already. Call it after work has been published, once per
  // batch. The caller must wake the reactor of the returned worker, which is now searching.
  [[nodiscard]] std::optional<std::uint32_t> claim_one() noexcept {
    Atomics::full_fence(fence_word_.bits);  // I1 I5
    bool parked = false;
    for (std::uint32_t group = 0; group != group_count_; ++group) {
      const std::uint64_t word = groups_[group].bits.load(base::relaxed);  // relaxed: I1 is the fence's
      if (searching_of(word) != 0) return std::nullopt;
      parked |= parked_of(word) != 0;
    }
    if (!parked) return std::nullopt;
    return claim_any_parked();
  }

  // Claims `worker` for a directed wake. Call it after a message for `worker` has been published. Returns true if the
  // worker was parked: the caller must wake its reactor. Returns false if the worker runs or is being woken: it will
  // see the message.
  [[nodiscard]] bool claim(std::uint32_t worker) noexcept {
    const std::uint64_t parked = parked_bit(worker);
    Atomics::full_fence(fence_word_.bits);                                     // I1
    if ((bits_of(worker).load(base::relaxed) & parked) == 0) return false;     // relaxed: I1 is the fence's
    return (bits_of(worker).fetch_and(~parked, base::acq_rel) & parked) != 0;  // I2 I3
  }

  // Lets a worker that has not been claimed start to search. Returns false when half of the workers that are awake
  // search already, because more searchers would only hinder each other. Returns true also when `worker` searches
  // already.
  [[nodiscard]] bool try_start_search(std::uint32_t worker) noexcept {
    Counts others = count_all_but(group_of(worker));
    Atomic& bits = bits_of(worker);
    std::uint64_t word = bits.load(base::relaxed);  // relaxed: the exchange decides
    for (;;) {
      if ((word & searching_bit(worker)) != 0) return true;
      const std::uint32_t searching = others.searching + count_of(searching_of(word));
      const std::uint32_t parked = others.parked + count_of(parked_of(word));
      if (searching * 2 >= worker_count_ - parked) return false;
      if (bits.compare_exchange_weak(word, word | searching_bit(worker),
                                     base::relaxed,     // relaxed: a promise (S); keeping it synchronizes
                                     base::relaxed)) {  // relaxed: a failed exchange is only retried
        return true;
      }
    }
  }

  // Leaves the search. Returns true if no searcher is left. A caller that has found work must then check the queues
  // (after this call: I5), and call claim_one if it sees more work (S). May return true to two workers at once. Never
  // returns false when no searcher is left.
  [[nodiscard]] bool stop_search(std::uint32_t worker) noexcept {
    const std::uint64_t searching = searching_bit(worker);
    const std::uint64_t before = bits_of(worker).fetch_and(~searching, base::acq_rel);  // I4 I5
    if (searching_of(before & ~searching) != 0) return false;
    Atomics::full_fence(fence_word_.bits);  // I4 I5
    return group_count_ == 1 || count_all_but(group_of(worker)).searching == 0;
  }

  // Marks `worker` as parked, so that it can be woken. The caller must then re-check every queue (P), may sleep if all
  // are empty, and must call unpark in any case.
  void park(std::uint32_t worker) noexcept {
    Atomic& bits = bits_of(worker);
    const std::uint64_t word = bits.load(base::relaxed);  // relaxed: while not parked, only the worker changes its bits
    VOLT_CHECK((word & parked_bit(worker)) == 0);
    bits.fetch_xor((word & searching_bit(worker)) | parked_bit(worker), base::acq_rel);  // I1 I2
    Atomics::full_fence(fence_word_.bits);                                               // I1
  }

  // Ends the parked state. Returns true if claim_one had claimed the worker: it now searches and is bound by S.
  [[nodiscard]] bool unpark(std::uint32_t worker) noexcept {
    Atomic& bits = bits_of(worker);
    std::uint64_t word = bits.load(base::acquire);                                                    // I3
    if ((word & parked_bit(worker)) != 0) word = bits.fetch_and(~parked_bit(worker), base::acq_rel);  // I3
    return (word & searching_bit(worker)) != 0;
  }

  // These functions return estimates. The result of is_parked() was exact at some moment during the call, and so was a
  // count if there is only one group of workers. A count over several groups may never have been exact, because the
  // groups are read one after another.
  [[nodiscard]] std::uint32_t parked_count() const noexcept { return count_all_but(kNoGroup).parked; }
  [[nodiscard]] std::uint32_t searching_count() const noexcept { return count_all_but(kNoGroup).searching; }
  [[nodiscard]] bool is_parked(std::uint32_t worker) const noexcept {
    return (groups_[group_of(worker)].bits.load(base::relaxed) & parked_bit(worker)) != 0;  // relaxed: an estimate
  }
  // Returns the parked worker with the lowest index, or no worker if none is parked. The result is an estimate.
  [[nodiscard]] std::optional<std::uint32_t> any_parked() const noexcept {
    for (std::uint32_t group = 0; group != group_count_; ++group) {
      const std::uint32_t parked = parked_of(groups_[group].bits.load(base::relaxed));  // relaxed: an estimate
      if (parked != 0) return group * 32 + lowest(parked);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint32_t worker_count() const noexcept { return worker_count_; }

 private:
  using Atomic = typename Atomics::template Atomic<std::uint64_t>;
  static constexpr std::uint32_t kNoGroup = ~0u;

  struct alignas(base::kNoSharingBytes) Group {
    Atomic bits{0};  // parked in [31:0], searching in [63:32]
  };
  struct Counts {
    std::uint32_t parked = 0;
    std::uint32_t searching = 0;
  };

  static constexpr std::uint32_t group_of(std::uint32_t worker) noexcept { return worker / 32; }
  static constexpr std::uint64_t parked_bit(std::uint32_t worker) noexcept { return std::uint64_t{1} << worker % 32; }
  static constexpr std::uint64_t searching_bit(std::uint32_t worker) noexcept { return parked_bit(worker) << 32; }
  static constexpr std::uint32_t parked_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
  static constexpr std::uint32_t searching_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32);
  }
  static constexpr std::uint32_t count_of(std::uint32_t bits) noexcept {
    return static_cast<std::uint32_t>(std::popcount(bits));
  }
  static constexpr std::uint32_t lowest(std::uint32_t bits) noexcept {
    return static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  Atomic& bits_of(std::uint32_t worker) noexcept { return groups_[group_of(worker)].bits; }

  // Moves one parked worker to searching: the worker with the lowest index in one group. Returns no worker if none is
  // parked any more, or if another worker has begun to search.
  [[nodiscard]] std::optional<std::uint32_t> claim_any_parked() noexcept {
    const std::uint32_t start =
        group_count_ == 1 ? 0 : next_start_.fetch_add(1, base::relaxed);  // relaxed: any start will do
    for (std::uint32_t i = 0; i != group_count_; ++i) {
      const std::uint32_t group = (start + i) % group_count_;
      Atomic& bits = groups_[group].bits;
      std::uint64_t word = bits.load(base::relaxed);  // relaxed: the exchange decides
      for (;;) {
        if (searching_of(word) != 0) return std::nullopt;
        if (parked_of(word) == 0) break;
        const std::uint32_t worker = group * 32 + lowest(parked_of(word));
        const std::uint64_t claimed = (word & ~parked_bit(worker)) | searching_bit(worker);
        if (bits.compare_exchange_weak(word, claimed, base::acq_rel,  // I2 I3
                                       base::relaxed)) {              // relaxed: I1 is the fence's
          return worker;
        }
      }
    }
    return std::nullopt;
  }

  // Returns the numbers of parked and searching workers in all groups except `left_out`.
  [[nodiscard]] Counts count_all_but(std::uint32_t left_out) const noexcept {
    Counts counts;
    for (std::uint32_t group = 0; group != group_count_; ++group) {
      if (group == left_out) continue;
      const std::uint64_t word =
          groups_[group].bits.load(base::relaxed);  // relaxed: I4 is the fence's, else an estimate
      counts.parked += count_of(parked_of(word));
      counts.searching += count_of(searching_of(word));
    }
    return counts;
  }

  const std::uint32_t worker_count_;
  const std::uint32_t group_count_;
  std::unique_ptr<Group[]> groups_;
  Group fence_word_;  // used only where fences are read-modify-writes
  // The group where the next search for a parked worker starts, so that wakes spread over the groups.
  typename Atomics::template Atomic<std::uint32_t> next_start_{0};
};

using IdleState = BasicIdleState<>;

}  // namespace volt::sched
