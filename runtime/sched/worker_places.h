// SPDX-License-Identifier: MIT

// WorkerPlaces: which workers run near each other: on processors that share a last-level cache. A worker steals first
// from those near it, because the tasks are then in that cache.
//
// The kernel may move a worker that is not bound to a processor. It does so mostly when it wakes a thread, so a worker
// notes its place after each sleep. A place may be out of date, and is a hint.
//
// Threads: any thread may call of() and several(); note() belongs to the worker that it names.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"

namespace volt::sched {

class WorkerPlaces {
 public:
  using Place = std::uint16_t;

  // Reads from the system which of the processors share a cache: of those that this process may use, or, for tests, of
  // `processors`, from files in `folder`. Takes them for one place if the system does not tell, as in many virtual
  // machines.
  explicit WorkerPlaces(std::uint32_t workers);
  WorkerPlaces(std::uint32_t workers, const std::vector<std::uint32_t>& processors, const std::string& folder);

  // Returns whether there are several places, with at least two processors each on average. If not, of() says nothing.
  [[nodiscard]] bool several() const noexcept { return !place_of_processor_.empty(); }
  [[nodiscard]] Place of(std::uint32_t worker) const noexcept {
    return place(worker).load(base::relaxed);  // relaxed: a hint
  }
  // Called by the worker: it runs on this processor.
  void note(std::uint32_t worker, int processor) noexcept;
  void note(std::uint32_t worker) noexcept;  // on the calling thread's processor

 private:
  // Read by each search, so these lines have nothing else.
  struct alignas(base::kNoSharingBytes) Line {
    base::Atomic<Place> places[base::kNoSharingBytes / sizeof(Place)]{};
  };
  [[nodiscard]] base::Atomic<Place>& place(std::uint32_t worker) const noexcept {
    return lines_[worker / std::size(lines_[0].places)].places[worker % std::size(lines_[0].places)];
  }

  std::vector<Place> place_of_processor_;  // empty if there are not several places
  std::unique_ptr<Line[]> lines_;
};

}  // namespace volt::sched
