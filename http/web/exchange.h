// SPDX-License-Identifier: MIT

// ExchangeEnd: how an exchange, a request and its response, has ended. Request::after_response() reports it.
//
// Threads: values. Lifetime: that of the values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message/status.h"

namespace volt::http {

enum class ExchangeOutcome : std::uint8_t {
  complete,      // The kernel has taken the whole response.
  disconnected,  // The client closed or reset the connection before.
  timed_out,     // The client took the response more slowly than ServerOptions allow.
  failed,        // The producer of the body threw an exception after a part had been sent.
  cancelled,     // The server has stopped before the response was complete.
  upgraded,      // The 101 response was sent, and the connection has switched to another protocol.
};

[[nodiscard]] constexpr std::string_view to_string(ExchangeOutcome outcome) noexcept {
  switch (outcome) {
    case ExchangeOutcome::complete:
      return "complete";
    case ExchangeOutcome::disconnected:
      return "disconnected";
    case ExchangeOutcome::timed_out:
      return "timed_out";
    case ExchangeOutcome::failed:
      return "failed";
    case ExchangeOutcome::cancelled:
      return "cancelled";
    case ExchangeOutcome::upgraded:
      return "upgraded";
  }
  return "?";  // Not reached: the switch has all enumerators.
}

struct ExchangeEnd {
  ExchangeOutcome outcome = ExchangeOutcome::cancelled;
  std::optional<Status> status;  // Of the response; none if there was no response.
  std::uint64_t body_bytes = 0;  // Bytes of the body that the kernel has taken, with the framing of its chunks.
  // The times of the exchange, which sum up to its duration. The first three are 0 if a plain function without
  // middleware has asked for the end, and no ops server observes the server.
  std::chrono::nanoseconds queued{0};     // From the arrival of the request's head until its handler was called.
  std::chrono::nanoseconds receiving{0};  // Waits for bytes of the request's body.
  std::chrono::nanoseconds handling{0};   // Until the response was ready, without `receiving`.
  std::chrono::nanoseconds sending{0};    // Until the end; includes the production of a streamed body.

  [[nodiscard]] std::chrono::nanoseconds duration() const noexcept { return queued + receiving + handling + sending; }
};

}  // namespace volt::http
