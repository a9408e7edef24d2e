// SPDX-License-Identifier: MIT

// TransferTimeout: the deadline of a transfer. It ends a transfer that stalls or is too slow on average; see
// stall_timeout, rate_grace and rate_bytes_per_second_min of ServerOptions. With head_timeout, which limits the time
// for a request's head, it protects against clients that are slow on purpose (Slowloris).
//
// Threads: the connection's task.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "http/server/options.h"
#include "runtime/per_worker.h"

namespace volt::http::server {

class TransferTimeout {
 public:
  explicit TransferTimeout(const ServerOptions& options) noexcept : options_(options) {}

  // Begins a transfer. The server now waits for the peer.
  void begin() noexcept {
    waited_ = std::chrono::nanoseconds(0);
    moved_bytes_ = 0;
    resume();
  }
  // Between pause() and resume() the server does not wait for the peer, so that time is not counted.
  void pause() noexcept {
    if (std::exchange(runs_, false)) waited_ += coarse_now() - resumed_;
  }
  void resume() noexcept {
    resumed_ = coarse_now();
    runs_ = true;
  }

  // A wait for the peer, from the constructor to the destructor, also if it is cancelled.
  class Wait {
   public:
    explicit Wait(TransferTimeout& timeout) noexcept : timeout_(timeout) { timeout.resume(); }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { timeout_.pause(); }

   private:
    TransferTimeout& timeout_;
  };

  void add_moved(std::size_t bytes) noexcept { moved_bytes_ += bytes; }
  [[nodiscard]] std::size_t moved_bytes() const noexcept { return moved_bytes_; }

  // Returns how much longer the server may wait for the peer. This is the time that the minimum rate leaves, but at
  // most stall_timeout and never negative. Without a minimum rate it is stall_timeout.
  [[nodiscard]] std::chrono::nanoseconds left() const noexcept {
    constexpr std::size_t kEarnedMax = 1'000'000'000;  // in seconds; in nanoseconds it still fits 64 bits
    const std::size_t least_rate = options_.rate_bytes_per_second_min;
    if (least_rate == 0) return options_.stall_timeout;
    const std::chrono::seconds earned(std::min(moved_bytes_ / least_rate, kEarnedMax));
    const std::chrono::nanoseconds allowed = options_.rate_grace + earned;
    const std::chrono::nanoseconds left = allowed - waited_ - (coarse_now() - resumed_);
    return std::clamp<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(0), options_.stall_timeout);
  }

 private:
  const ServerOptions& options_;
  std::chrono::nanoseconds resumed_{0};
  std::chrono::nanoseconds waited_{0};  // time waited before resumed_
  std::size_t moved_bytes_ = 0;
  bool runs_ = false;  // between resume() and pause()
};

}  // namespace volt::http::server
