// SPDX-License-Identifier: MIT

// Call: one request to one server, with its attempts. HttpClient makes one for a request, and for each redirect.
//
// Threads: one task. Lifetime: within HttpClient::send(). The ClientRequest must outlive the call.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "http/client/client.h"
#include "http/client/internal/authorities.h"
#include "http/client/internal/hedge.h"
#include "http/client/internal/pool.h"
#include "http/client/internal/statistics.h"
#include "http/client/internal/uri.h"
#include "runtime/task.h"

namespace volt::http::client {

// Returns the key of the connection pool. Two requests with equal keys can use one connection: they have the same
// server, and the same address if ClientRequest sets one.
[[nodiscard]] std::string origin_of(const Uri& uri, const std::optional<Address>& via);

// Why an attempt got no response.
struct CallFailure {
  std::error_code error;
  FailureReason reason = FailureReason::response;
  bool answered = false;  // bytes of a response were received
};

// The response's head, or why there is none.
using Outcome = std::expected<std::unique_ptr<Exchange>, CallFailure>;

class Call {
 public:
  // `ends_at` is the deadline of the exchange, as a time of coarse_now(); nanoseconds::max() means none.
  Call(std::shared_ptr<const ClientOptions> options, std::shared_ptr<Pool> pool, Authorities& authorities,
       ClientRequest& request, const Uri& uri, std::chrono::nanoseconds ends_at);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Makes attempts until one succeeds or there is none left; returns the outcome of the last one.
  [[nodiscard]] Task<Outcome> run();

  // Returns whether two copies of the request may be in progress at once.
  [[nodiscard]] static bool may_be_sent_twice(const ClientRequest& request) noexcept;

 private:
  [[nodiscard]] Task<Outcome> begin_attempt();
  [[nodiscard]] Task<Outcome> timed_attempt();
  [[nodiscard]] std::optional<std::chrono::nanoseconds> hedge_delay() const;
  [[nodiscard]] Task<Outcome> hedged_attempt(std::chrono::nanoseconds delay);
  [[nodiscard]] Task<Outcome> send_copy(Hedge<Outcome>& hedge);
  [[nodiscard]] Task<Outcome> second_copy(Hedge<Outcome>& hedge, std::chrono::nanoseconds delay);
  [[nodiscard]] bool may_hedge();
  [[nodiscard]] bool is_good(const Outcome& outcome) const noexcept;
  [[nodiscard]] Task<Outcome> attempt();
  [[nodiscard]] Task<Outcome> send_once(Semaphore::Permit place);
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] std::chrono::nanoseconds wait_for_place() const;
  [[nodiscard]] Task<Outcome> send_on(std::unique_ptr<Connection> connection, Semaphore::Permit& place);
  [[nodiscard]] std::optional<std::chrono::nanoseconds> pause_before_retry(const Outcome& outcome);
  void report(CircuitBreaker::Ticket& ticket, const Outcome& outcome);
  [[nodiscard]] bool may_retry(const Outcome& outcome) const noexcept;
  [[nodiscard]] bool withdraw_from_budget();

  // Both copies of a hedged request use these members, in tasks of their own: only run() changes one.
  const std::shared_ptr<const ClientOptions> options_;
  const std::shared_ptr<Pool> pool_;
  Statistics& statistics_;
  ClientRequest& request_;
  const Uri& uri_;
  const std::chrono::nanoseconds ends_at_;
  const bool streams_;     // the request has a streamed body
  const bool idempotent_;  // it may be sent again after the server may have received it
  const bool hedgeable_;   // two copies of it may be in progress at once
  const std::string origin_;
  const std::shared_ptr<Authority> authority_;  // null: neither an option nor the request needs it
  std::uint32_t attempts_made_ = 0;
};

}  // namespace volt::http::client
