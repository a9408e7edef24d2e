// Placement: which worker a fresh connection should live on.
//
// The kernel deals connections out to listeners by a hash: with few connections some workers get many and some none. So
// each is placed again when it is accepted: on the accepting worker, unless another one clearly has fewer. Handing over
// costs a message and maybe a wake-up, which a connection repays if it lives.
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

  // A connection comes to `preferred`, the worker that accepted it: where it shall live. Counts it there.
  [[nodiscard]] std::uint32_t enter(std::uint32_t preferred) noexcept {
    std::uint32_t emptiest = preferred;
    for (std::uint32_t i = 0; i != count_; ++i) {
      if (load(i) < load(emptiest)) emptiest = i;
    }
    const std::uint32_t clear_difference = std::max<std::uint32_t>(2, load(emptiest) / 8);
    const std::uint32_t chosen = load(preferred) >= load(emptiest) + clear_difference ? emptiest : preferred;
    loads_[chosen].connections.fetch_add(1, base::relaxed);  // relaxed: a count that orders nothing
    return chosen;
  }

  // A connection placed on `worker` has ended.
  void leave(std::uint32_t worker) noexcept {
    loads_[worker].connections.fetch_sub(1, base::relaxed);  // relaxed: as above
  }

  [[nodiscard]] std::uint32_t load(std::uint32_t worker) const noexcept {
    return loads_[worker].connections.load(base::relaxed);  // relaxed: as above
  }

 private:
  struct alignas(base::kNoSharingBytes) Load {
    base::Atomic<std::uint32_t> connections{0};
  };
  std::uint32_t count_;
  std::unique_ptr<Load[]> loads_;
};

}  // namespace volt
