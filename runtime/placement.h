// SPDX-License-Identifier: MIT

// Placement: chooses the worker that serves a new connection.
//
// The kernel distributes connections to listeners by a hash: with few connections, some workers get many and others
// none. So each connection is placed again when it is accepted. It stays on the accepting worker, unless another worker
// clearly has fewer connections. Moving a connection costs a message and possibly a wake-up, which pays off if the
// connection is long-lived.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"

namespace volt {

class Placement {
 public:
  explicit Placement(std::uint32_t workers) : count_(workers), loads_(std::make_unique<Load[]>(workers)) {}

  // Chooses the worker that will serve a new connection, counts the connection there, and returns the worker.
  // `preferred` is the worker that accepted the connection. A spare worker is never chosen.
  [[nodiscard]] std::uint32_t enter(std::uint32_t preferred) noexcept {
    if (preferred >= count_) preferred = 0;
    std::uint32_t emptiest = preferred;
    for (std::uint32_t i = 0; i != count_; ++i) {
      if (load(i) < load(emptiest)) emptiest = i;
    }
    const std::uint32_t clear_difference = std::max<std::uint32_t>(2, load(emptiest) / 8);
    const std::uint32_t chosen = load(preferred) >= load(emptiest) + clear_difference ? emptiest : preferred;
    loads_[chosen].connections.fetch_add(1, base::relaxed);  // relaxed: a count that orders nothing
    return chosen;
  }

  [[nodiscard]] std::uint32_t worker_count() const noexcept { return count_; }

  // Subtracts one connection from the count of `worker`.
  void leave(std::uint32_t worker) noexcept {
    loads_[worker].connections.fetch_sub(1, base::relaxed);  // relaxed: a count that orders nothing
  }

  [[nodiscard]] std::uint32_t load(std::uint32_t worker) const noexcept {
    return loads_[worker].connections.load(base::relaxed);  // relaxed: a count that orders nothing
  }
  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t connections = 0;
    for (std::uint32_t i = 0; i != count_; ++i) connections += load(i);
    return connections;
  }

 private:
  struct alignas(base::kNoSharingBytes) Load {
    base::Atomic<std::uint32_t> connections{0};
  };
  std::uint32_t count_;
  std::unique_ptr<Load[]> loads_;
};

}  // namespace volt
