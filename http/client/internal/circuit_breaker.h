// SPDX-License-Identifier: MIT

// CircuitBreaker: the circuit of one server (http/client/circuit_breaker.h).
//
// Threads: any. Lifetime: must outlive its tickets. Times are those of the caller's monotonic clock.
//
// Each change of the state begins a new generation. A ticket belongs to the generation in which it was given out: the
// report of a request that began before the circuit opened does not count afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "http/client/circuit_breaker.h"

namespace volt::http::client {

// Throws std::invalid_argument if an option is out of its range.
void check(const CircuitBreakerOptions& options);

[[nodiscard]] inline bool is_enabled(const CircuitBreakerOptions& options) noexcept {
  return options.consecutive_failures != 0 || options.failure_rate != 0;
}

class CircuitBreaker {
 public:
  enum class Change : std::uint8_t { none, opened, closed };

  // The permission to send one request. Destroyed without a report: the request counts neither way.
  class Ticket {
   public:
    Ticket(CircuitBreaker& breaker, std::uint64_t generation) noexcept : breaker_(&breaker), generation_(generation) {}
    Ticket(Ticket&& other) noexcept
        : breaker_(std::exchange(other.breaker_, nullptr)), generation_(other.generation_) {}
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket() {
      if (breaker_ != nullptr) breaker_->abandon(generation_);
    }

    // Reports the outcome of the request, once.
    Change report(bool succeeded, std::chrono::nanoseconds now) noexcept {
      return std::exchange(breaker_, nullptr)->report(generation_, succeeded, now);
    }

   private:
    CircuitBreaker* breaker_;
    std::uint64_t generation_;
  };

  explicit CircuitBreaker(const CircuitBreakerOptions& options) noexcept : options_(options) {}

  // Returns none if the request must not be sent.
  [[nodiscard]] std::optional<Ticket> admit(std::chrono::nanoseconds now) noexcept;
  // Returns whether admit() would return none.
  [[nodiscard]] bool refuses(std::chrono::nanoseconds now) const noexcept;
  [[nodiscard]] CircuitState state() const noexcept;
  // Returns the time until the circuit is half open; 0 unless it is open.
  [[nodiscard]] std::chrono::nanoseconds open_for(std::chrono::nanoseconds now) const noexcept;

 private:
  [[nodiscard]] bool refuses_locked(std::chrono::nanoseconds now) const noexcept;
  [[nodiscard]] bool is_to_open_locked(bool succeeded, std::chrono::nanoseconds now) noexcept;
  void change_locked(CircuitState state) noexcept;
  Change report(std::uint64_t generation, bool succeeded, std::chrono::nanoseconds now) noexcept;
  void abandon(std::uint64_t generation) noexcept;

  const CircuitBreakerOptions options_;
  mutable std::mutex mutex_;
  CircuitState state_ = CircuitState::closed;
  std::uint64_t generation_ = 0;
  std::uint32_t failures_in_a_row_ = 0;
  std::chrono::nanoseconds window_ends_{0};
  std::uint64_t window_requests_ = 0;
  std::uint64_t window_failures_ = 0;
  std::chrono::nanoseconds open_until_{0};
  std::uint32_t probes_running_ = 0;
  std::uint32_t probes_succeeded_ = 0;
};

}  // namespace volt::http::client
