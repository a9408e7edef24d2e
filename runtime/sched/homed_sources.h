// SPDX-License-Identifier: MIT

// HomedSources: the sources whose home is one worker, so that other threads can find them while that worker is blocked
// (takeover.h), and so that a spare can send them back (spare_workers.h).
//
// A source that moves is for a moment in the lists of both its homes (net/socket.h), but never in more than two. It
// therefore remembers its place in two lists, so that adding and removing it take constant time.
//
// Threads: the worker adds and removes; any thread may call take_references().
// Lifetime: the list holds a reference to each of its sources.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/io/source.h"

namespace volt::sched {

class HomedSources {
 public:
  explicit HomedSources(std::uint32_t worker) noexcept : worker_(static_cast<std::uint16_t>(worker)) {}

  // Adds the source. If there is no memory for it, the source is only counted.
  void add(io::Source& source) noexcept;
  void remove(io::Source& source) noexcept;

  // The number of sources. Must be called on the worker's thread, or after it has ended.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  // Returns all sources, each with a reference for the caller. Returns none if there is not enough memory.
  [[nodiscard]] std::vector<io::Source*> take_references() const noexcept;

 private:
  // Returns where the source notes its position in the list of `worker`.
  [[nodiscard]] static io::Source::ListPosition& position_in(io::Source& source, std::uint16_t worker) noexcept;

  const std::uint16_t worker_;
  std::uint32_t size_ = 0;  // with those that are only counted
  mutable std::mutex mutex_;
  std::vector<io::Source*> sources_;  // guarded by mutex_
};

}  // namespace volt::sched
