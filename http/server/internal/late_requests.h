// SPDX-License-Identifier: MIT

// LateRequests: decides which of a worker's late requests are refused, so that the worker gets through its queue.
//
// If requests are short, a refusal saves little: it takes time, too, most of it in the kernel (10 to 20 us;
// loadtest/results/2026-11-29). So a worker refuses no more requests than bring the average of all, served or refused,
// down to kAim. The average is the duration of a window divided by the number of its requests. It includes all turns of
// a request, but not its waits for something else, because the worker then serves others. After each window, the share
// of late requests that are served is multiplied by kAim divided by the average: it becomes 1 if requests are short,
// almost 0 if they are long, and in between as large as kAim permits.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace volt::http::server {

class LateRequests {
 public:
  static constexpr std::chrono::nanoseconds kAim = std::chrono::microseconds(50);
  static constexpr std::chrono::nanoseconds kWindow = std::chrono::milliseconds(50);

  // Counts a request that has waited, at the beginning of its turn. Times must not decrease.
  void add(std::chrono::nanoseconds now) noexcept {
    if (now - window_began_ >= kWindow) end_window(now);
    ++count_;
  }

  // Returns whether the late request that was added last must be refused.
  [[nodiscard]] bool refuses() noexcept {
    credit_ += served_share_;
    if (credit_ < 1) return true;
    credit_ -= 1;
    return false;
  }

 private:
  static constexpr double kShareMin = 0.001;
  static constexpr double kChangeMax = 2;  // in one window: the worker may have been without a processor in it
  static constexpr std::chrono::nanoseconds kForgetAfter = std::chrono::seconds(1);

  void end_window(std::chrono::nanoseconds now) noexcept {
    const std::chrono::nanoseconds lasted = now - window_began_;
    if (lasted >= kForgetAfter) {  // no request was late for long: this is another overload
      served_share_ = 1;
    } else {
      const double more = static_cast<double>(kAim.count() * count_) / static_cast<double>(lasted.count());
      served_share_ = std::clamp(served_share_ * std::clamp(more, 1 / kChangeMax, kChangeMax), kShareMin, 1.0);
    }
    window_began_ = now;
    count_ = 0;
  }

  std::chrono::nanoseconds window_began_{0};
  std::int64_t count_ = 0;  // of the window
  double served_share_ = 1;
  double credit_ = 0;  // requests that may be served
};

}  // namespace volt::http::server
