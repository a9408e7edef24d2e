// SPDX-License-Identifier: MIT

// CircuitBreakerOptions: when an HttpClient stops to send requests to a server that fails.
//
//   HttpClient client({.circuit_breaker = {.consecutive_failures = 5}});
//   ...
//   if (!response && response.error() == ClientError::circuit_open) log(.., client.circuit(uri).to_string());
//
// Each server has a circuit. While it is closed, requests are sent. After too many failures it opens: for `open_for`,
// requests end with ClientError::circuit_open at once, and the server has time to recover. Then the circuit is half
// open: `probes` requests are sent and the others refused. When all probes have succeeded, the circuit closes; when one
// fails, it opens again. The client logs both.
//
// A failure is a request that got no response, or one with a status of 500 or above. A request that the program
// cancels is neither a failure nor a success. Each attempt of a retried request counts, and no retry is made while the
// circuit is open.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace volt::http {

struct CircuitBreakerOptions {
  std::uint32_t consecutive_failures = 0;  // opens after so many failures without a success in between; 0: does not
  double failure_rate = 0;                 // opens if this part of a window's requests has failed; 0: does not
  // The requests for failure_rate are counted in consecutive windows of this length.
  std::chrono::nanoseconds rate_window = std::chrono::seconds(10);
  std::uint32_t rate_requests_min = 20;  // the circuit does not open by failure_rate after fewer requests in a window
  std::chrono::nanoseconds open_for = std::chrono::seconds(5);
  std::uint32_t probes = 1;  // requests while half open; at least 1
};

enum class CircuitState : std::uint8_t { closed, open, half_open };

// The circuit of one server.
struct Circuit {
  std::string authority;  // host and port of the URI
  CircuitState state = CircuitState::closed;
  std::chrono::nanoseconds open_for{0};  // remaining time in which all requests are refused; 0 unless open

  // Returns a sentence, such as "the circuit of shop.example:8080 is open for another 4200 ms".
  [[nodiscard]] std::string to_string() const;
};

}  // namespace volt::http
