// SPDX-License-Identifier: MIT

// Exchanges: middleware that observes all exchanges of a run, and verifies what the server reports about them: each
// exchange ends exactly once, also if the client or the server leaves in the middle, and its phases cover the time of
// the handler and no time before the run.
//
// Threads: the thread whose turn it is. Lifetime: must outlive the server.
#pragma once

#include <cstdint>
#include <optional>

#include "http/web/exchange.h"
#include "http/web/middleware.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "tests/simulation/kernel.h"

namespace volt::simulation {

class Exchanges {
 public:
  explicit Exchanges(SimulatedKernel& kernel) noexcept : kernel_(kernel), began_(kernel.now()) {}

  [[nodiscard]] Task<http::Response> observe(http::Request& request, http::Next next);
  // Must be called when the server has been destroyed.
  void judge();

 private:
  struct Exchange {
    Nanoseconds called;                   // when the middleware was called
    std::optional<Nanoseconds> returned;  // when the handler had returned; none: it was cancelled
    bool ended = false;
  };

  void end(Exchange& exchange, const http::ExchangeEnd& end);

  SimulatedKernel& kernel_;
  const Nanoseconds began_;
  std::uint64_t begun_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace volt::simulation
