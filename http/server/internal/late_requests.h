// SPDX-License-Identifier: MIT

// LateRequests: decides which late requests of a worker are refused.
//
// If requests are short, a refusal saves little: it takes time, too, most of it in the kernel (10 to 20 us;
// loadtest/results/2026-11-29). So a worker refuses only as many requests as bring the average of all, served or
// refused, down to kAim. After each window, the share of late requests that are served is multiplied by kAim divided by
// the average: it becomes 1 if requests are short, almost 0 if they are long, and in between as large as kAim permits.
//
// The average is the duration of a window, in which the worker always had work, divided by the number of requests that
// began in it. It includes all that the worker does in the window, other tasks too, but not the time in which a request
// waits for something else while the worker runs other tasks.
//
// kAim is the same on all machines. Where a refusal takes nearly as long, requests that take a little longer are
// refused although this saves little.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "runtime/per_worker.h"

namespace volt::http::server {

class LateRequests {
 public:
  static constexpr std::chrono::nanoseconds kAim = std::chrono::microseconds(50);
  static constexpr std::chrono::nanoseconds kWindow = std::chrono::milliseconds(50);

  // Counts a request, late or not, that begins in `turn`.
  void add(const Turn& turn) noexcept {
    const std::chrono::nanoseconds lasted = turn.now - window_began_;
    if (turn.busy_for < lasted) {
      if (lasted >= kForgetAfter) served_share_ = kShareAtFirst;
      begin_window(turn.now);
    } else if (lasted >= kWindow) {
      adjust_share(lasted);
      begin_window(turn.now);
    }
    ++count_;
  }

  // Decides whether to refuse a late request. Must be called once for each.
  [[nodiscard]] bool decide_refusal() noexcept {
    credit_ += served_share_;
    if (credit_ < 1) return true;
    credit_ -= 1;
    return false;
  }

 private:
  static constexpr double kShareAtFirst = 0.25;  // two windows make it 1 for very short requests, 1/16 for long ones
  static constexpr double kShareMin = 0.001;     // from which it becomes 1 within ten windows
  static constexpr double kChangeMax = 2;        // in one window: the worker may have had no processor for a part of it
  static constexpr std::chrono::nanoseconds kForgetAfter = std::chrono::seconds(1);

  void begin_window(std::chrono::nanoseconds now) noexcept {
    window_began_ = now;
    count_ = 0;
  }

  void adjust_share(std::chrono::nanoseconds lasted) noexcept {
    const double change = static_cast<double>(kAim.count() * count_) / static_cast<double>(lasted.count());
    served_share_ = std::clamp(served_share_ * std::clamp(change, 1 / kChangeMax, kChangeMax), kShareMin, 1.0);
  }

  std::chrono::nanoseconds window_began_{0};
  std::int64_t count_ = 0;  // requests that began in the window
  double served_share_ = kShareAtFirst;
  double credit_ = 0;  // requests that may be served
};

}  // namespace volt::http::server
