// Turnstile: lets so many through at a time; some more may wait, in the order in which they came; others are turned
// away.
//
// Threads: enter() in tasks, the end of a pass on any worker. Lifetime: outlives its passes and those who wait.
// Cancellation: a wait that is cancelled leaves the queue, and hands on a pass that it was given meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/notify.h"
#include "runtime/task.h"

namespace volt::http::middleware {

struct TurnstileOptions {
  std::size_t inside_max;
  std::size_t waiting_max;
  std::chrono::nanoseconds wait_max;
};

class Turnstile {
 public:
  // Inside, as long as it lives.
  class [[nodiscard]] Pass {
   public:
    explicit Pass(Turnstile& turnstile) noexcept : turnstile_(&turnstile) {}
    Pass(Pass&& other) noexcept : turnstile_(std::exchange(other.turnstile_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (turnstile_ != nullptr) turnstile_->leave();
    }

   private:
    Turnstile* turnstile_;
  };

  explicit Turnstile(const TurnstileOptions& options) noexcept : options_(options) {}
  Turnstile(const Turnstile&) = delete;
  Turnstile& operator=(const Turnstile&) = delete;

  // Neither waits nor allocates. Empty: all places are taken, or others wait.
  [[nodiscard]] std::optional<Pass> try_enter() noexcept;
  // Empty: too many wait, or the wait was too long.
  [[nodiscard]] Task<std::optional<Pass>> enter_later();

 private:
  // Who waits, in its frame. Under mutex_, but for the wait itself.
  struct Turn {
    Notify came;
    bool given = false;
  };
  class Place;

  void leave() noexcept;

  const TurnstileOptions options_;
  std::mutex mutex_;
  std::size_t inside_ = 0;
  std::deque<Turn*> waiting_;
};

}  // namespace volt::http::middleware
