// SPDX-License-Identifier: MIT

// Hedge: the state that the two copies of a hedged request share (http/client/hedge.h). It decides which outcome
// counts.
//
// Threads: the tasks of the two copies. Lifetime: within the attempt that both belong to.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/notify.h"
#include "runtime/task.h"

namespace volt::http::client {

template <class Outcome>
class Hedge {
 public:
  Hedge() = default;
  Hedge(const Hedge&) = delete;
  Hedge& operator=(const Hedge&) = delete;

  // Must be called before the second copy is sent. Returns false if the first one has ended.
  [[nodiscard]] bool begin_second() noexcept {
    const std::scoped_lock lock(mutex_);
    if (running_ == 0) return false;
    ++running_;
    return true;
  }
  // Takes the outcome of a copy. Returns the outcome that counts if it is good or no other copy is in progress.
  // Otherwise keeps the outcome until the other copy has one: the caller must then call wait_for_end().
  [[nodiscard]] std::optional<Outcome> settle(Outcome outcome, bool good) {
    const std::scoped_lock lock(mutex_);
    --running_;
    if (good) return outcome;
    const bool kept_says_more = !outcome && kept_ && *kept_;  // a response rather than an error
    if (running_ == 0) return kept_says_more ? std::move(kept_) : std::optional<Outcome>(std::move(outcome));
    kept_ = std::move(outcome);
    return std::nullopt;
  }
  // Waits until the task is cancelled, because the other copy has ended.
  [[nodiscard]] Task<> wait_for_end() {
    for (;;) co_await end_.notified();
  }

 private:
  std::mutex mutex_;
  std::uint8_t running_ = 1;     // copies in progress
  std::optional<Outcome> kept_;  // of the copy that ended first, if it was not good
  Notify end_;                   // never notified
};

}  // namespace volt::http::client
