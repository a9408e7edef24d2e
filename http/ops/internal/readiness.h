// SPDX-License-Identifier: MIT

// Readiness: whether a server is ready for requests and, if not, why.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/atomic.h"

namespace volt::http::ops {

class Readiness {
 public:
  enum class State : std::uint8_t { starting, ready, draining };

  void set(bool ready) noexcept {
    const bool has_started = state() != State::starting;
    if (ready || has_started) state_.store(ready ? State::ready : State::draining, base::relaxed);  // relaxed: a flag
  }
  [[nodiscard]] State state() const noexcept { return state_.load(base::relaxed); }  // relaxed: a flag

 private:
  base::Atomic<State> state_{State::starting};
};

[[nodiscard]] constexpr std::string_view to_string(Readiness::State state) noexcept {
  switch (state) {
    case Readiness::State::starting:
      return "starting";
    case Readiness::State::ready:
      return "ready";
    case Readiness::State::draining:
      return "draining";
  }
  return {};
}

}  // namespace volt::http::ops
