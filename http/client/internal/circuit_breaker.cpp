// SPDX-License-Identifier: MIT

#include "http/client/internal/circuit_breaker.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace volt::http {

std::string Circuit::to_string() const {
  const std::string circuit = "the circuit of " + authority;
  switch (state) {
    case CircuitState::closed:
      return circuit + " is closed";
    case CircuitState::half_open:
      return circuit + " is half open";
    case CircuitState::open:
      break;
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(open_for);
  return circuit + " is open for another " + std::to_string(left.count()) + " ms";
}

}  // namespace volt::http

namespace volt::http::client {

void check(const CircuitBreakerOptions& options) {
  constexpr auto kNone = std::chrono::nanoseconds(0);
  const bool is_rate = options.failure_rate >= 0 && options.failure_rate <= 1;
  if (!is_rate || options.probes == 0 || options.open_for <= kNone || options.rate_window <= kNone) {
    throw std::invalid_argument(
        "CircuitBreakerOptions: failure_rate must be 0 to 1, probes at least 1, open_for and rate_window above 0");
  }
}

std::optional<CircuitBreaker::Ticket> CircuitBreaker::admit(std::chrono::nanoseconds now) noexcept {
  const std::scoped_lock lock(mutex_);
  if (refuses_locked(now)) return std::nullopt;
  if (state_ == CircuitState::open) change_locked(CircuitState::half_open);
  if (state_ == CircuitState::half_open) ++probes_running_;
  return Ticket(*this, generation_);
}

bool CircuitBreaker::refuses(std::chrono::nanoseconds now) const noexcept {
  const std::scoped_lock lock(mutex_);
  return refuses_locked(now);
}

CircuitState CircuitBreaker::state() const noexcept {
  const std::scoped_lock lock(mutex_);
  return state_;
}

std::chrono::nanoseconds CircuitBreaker::open_for(std::chrono::nanoseconds now) const noexcept {
  const std::scoped_lock lock(mutex_);
  if (state_ != CircuitState::open) return std::chrono::nanoseconds(0);
  return std::max(open_until_ - now, std::chrono::nanoseconds(0));
}

bool CircuitBreaker::refuses_locked(std::chrono::nanoseconds now) const noexcept {
  switch (state_) {
    case CircuitState::closed:
      return false;
    case CircuitState::open:
      return now < open_until_;
    case CircuitState::half_open:
      return probes_running_ + probes_succeeded_ >= options_.probes;
  }
  std::unreachable();
}

// Counts a report while the circuit is closed. Returns whether it must open.
bool CircuitBreaker::is_to_open_locked(bool succeeded, std::chrono::nanoseconds now) noexcept {
  if (now >= window_ends_) {
    window_ends_ = now + options_.rate_window;
    window_requests_ = window_failures_ = 0;
  }
  ++window_requests_;
  if (succeeded) {
    failures_in_a_row_ = 0;
    return false;
  }
  ++failures_in_a_row_;
  ++window_failures_;
  if (options_.consecutive_failures != 0 && failures_in_a_row_ >= options_.consecutive_failures) return true;
  if (options_.failure_rate == 0 || window_requests_ < options_.rate_requests_min) return false;
  return static_cast<double>(window_failures_) >= options_.failure_rate * static_cast<double>(window_requests_);
}

void CircuitBreaker::change_locked(CircuitState state) noexcept {
  state_ = state;
  ++generation_;
  failures_in_a_row_ = 0;
  window_ends_ = std::chrono::nanoseconds(0);
  probes_running_ = probes_succeeded_ = 0;
}

CircuitBreaker::Change CircuitBreaker::report(std::uint64_t generation, bool succeeded,
                                              std::chrono::nanoseconds now) noexcept {
  const std::scoped_lock lock(mutex_);
  if (generation != generation_) return Change::none;
  bool opens = !succeeded;
  if (state_ == CircuitState::closed) {
    opens = is_to_open_locked(succeeded, now);
    if (!opens) return Change::none;
  }
  if (opens) {
    change_locked(CircuitState::open);
    open_until_ = now + options_.open_for;
    return Change::opened;
  }
  --probes_running_;
  if (++probes_succeeded_ < options_.probes) return Change::none;
  change_locked(CircuitState::closed);
  return Change::closed;
}

void CircuitBreaker::abandon(std::uint64_t generation) noexcept {
  const std::scoped_lock lock(mutex_);
  if (generation == generation_ && state_ == CircuitState::half_open) --probes_running_;
}

}  // namespace volt::http::client
