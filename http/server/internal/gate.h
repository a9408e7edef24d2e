// Gate: lets connections in up to a number; who comes then waits for one to leave.
//
// Threads: any; room() in a task. Lifetime: outlives those who wait.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime/base/atomic.h"
#include "runtime/notify.h"

namespace volt::http::server {

class Gate {
 public:
  // 0: any number.
  explicit Gate(std::size_t connections_max) noexcept
      : max_(connections_max == 0 || connections_max > kAnyNumber ? kAnyNumber
                                                                  : static_cast<std::uint32_t>(connections_max)) {}

  // False: it is full.
  [[nodiscard]] bool try_enter() noexcept {
    std::uint32_t count = count_.load(base::relaxed);  // relaxed: a count; Notify orders who waits and who leaves
    do {
      if (count >= max_) return false;
    } while (!count_.compare_exchange_weak(count, count + 1, base::relaxed));  // relaxed: as above
    return true;
  }
  // Whether it is full or not.
  void enter() noexcept { count_.fetch_add(1, base::relaxed); }  // relaxed: as above
  void leave() noexcept {
    if (count_.fetch_sub(1, base::relaxed) >= max_) room_.notify_one();  // relaxed: as above
  }

  // Waits until there may be room. Who has found some, after such a wait, says so by pass_on(): others may wait too.
  [[nodiscard]] Notify::Notified room() noexcept { return room_.notified(); }
  void pass_on() noexcept {
    if (count() < max_) room_.notify_one();
  }
  // Those who wait look again.
  void wake_all() noexcept { room_.notify_all(); }

  [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(base::relaxed); }  // relaxed: as above
  // 0: none.
  [[nodiscard]] std::uint32_t max() const noexcept { return max_ == kAnyNumber ? 0 : max_; }

 private:
  static constexpr std::uint32_t kAnyNumber = std::numeric_limits<std::uint32_t>::max();

  const std::uint32_t max_;
  base::Atomic<std::uint32_t> count_{0};
  Notify room_;
};

}  // namespace volt::http::server
