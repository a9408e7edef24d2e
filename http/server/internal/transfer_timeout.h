// SPDX-License-Identifier: MIT

// TransferTimeout: the deadline of a transfer. It ends a transfer that stalls or is too slow on average; see
// stall_timeout, rate_grace and rate_bytes_per_second_min of ServerOptions. With head_timeout, which limits the time
// for a request's head, it protects against clients that are slow on purpose (Slowloris).
//
// Both limits count the time that the server has waited for the peer: the minimum rate since the transfer began, a
// stall since the last byte moved. So a wait that is cancelled and repeated gives the peer no further time.
//
// Threads: the connection's task.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "http/server/options.h"
#include "runtime/per_worker.h"

namespace volt::http::server {

class TransferTimeout {
 public:
  explicit TransferTimeout(const ServerOptions& options) noexcept : options_(options) {}

  // Begins a transfer. The server now waits for the peer.
  void begin() noexcept {
    waited_ = waited_at_move_ = std::chrono::nanoseconds(0);
    moved_bytes_ = 0;
    resume();
  }
  // Between pause() and resume() the server does not wait for the peer, so that time is not counted.
  void pause() noexcept {
    waited_ = waited();
    runs_ = false;
  }
  void resume() noexcept {
    resumed_ = coarse_now();
    runs_ = true;
  }
  // Returns whether time is counted: true from begin() or resume() until pause().
  [[nodiscard]] bool running() const noexcept { return runs_; }

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

  void add_moved(std::size_t bytes) noexcept {
    if (bytes == 0) return;
    moved_bytes_ += bytes;
    waited_at_move_ = waited();
  }
  [[nodiscard]] std::size_t moved_bytes() const noexcept { return moved_bytes_; }

  // Returns how much longer the server may wait for the peer: stall_timeout without the time since the last byte moved,
  // but at most the time that the minimum rate leaves, if there is one. Never negative.
  [[nodiscard]] std::chrono::nanoseconds left() const noexcept {
    constexpr std::size_t kEarnedMax = 1'000'000'000;  // in seconds; in nanoseconds it still fits 64 bits
    const std::chrono::nanoseconds waited_now = waited();
    std::chrono::nanoseconds left = options_.stall_timeout - (waited_now - waited_at_move_);
    if (const std::size_t least_rate = options_.rate_bytes_per_second_min; least_rate != 0) {
      const std::chrono::seconds earned(std::min(moved_bytes_ / least_rate, kEarnedMax));
      left = std::min<std::chrono::nanoseconds>(left, options_.rate_grace + earned - waited_now);
    }
    return std::max(left, std::chrono::nanoseconds(0));
  }

 private:
  [[nodiscard]] std::chrono::nanoseconds waited() const noexcept {
    return runs_ ? waited_ + (coarse_now() - resumed_) : waited_;
  }

  const ServerOptions& options_;
  std::chrono::nanoseconds resumed_{0};
  std::chrono::nanoseconds waited_{0};          // time waited before resumed_, or before the last pause()
  std::chrono::nanoseconds waited_at_move_{0};  // waited() when the last byte moved
  std::size_t moved_bytes_ = 0;
  bool runs_ = false;  // between resume() and pause()
};

}  // namespace volt::http::server
