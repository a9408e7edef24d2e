// SPDX-License-Identifier: MIT

// FakeScript: the failures that a FakeUpstream has still to show, and the requests that it has received.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "http/message/status.h"
#include "http/testing/fake_upstream.h"

namespace volt::http::testing {

struct FakeFailure {
  enum class Kind : std::uint8_t { refuse, drop, respond, delay, cut };

  Kind kind = Kind::refuse;
  Status status = Status::ok;            // respond
  std::chrono::nanoseconds duration{0};  // delay
  std::size_t body_bytes = 0;            // cut

  // Whether it shows before the request is received.
  [[nodiscard]] bool is_of_connection() const noexcept { return kind == Kind::refuse || kind == Kind::drop; }
};

class FakeScript {
 public:
  void add(const FakeFailure& failure, int times);
  // Counts a connection, and takes the next failure if it is one of connections.
  [[nodiscard]] std::optional<FakeFailure> begin_connection();
  // Records the request, and takes the next failure if it is one of requests.
  [[nodiscard]] std::optional<FakeFailure> begin_request(FakeRequest request);

  [[nodiscard]] std::vector<FakeRequest> requests() const;
  [[nodiscard]] std::size_t connections() const noexcept;
  [[nodiscard]] std::size_t failures_left() const noexcept;

 private:
  [[nodiscard]] std::optional<FakeFailure> take_locked(bool of_connection);

  mutable std::mutex mutex_;
  std::deque<FakeFailure> failures_;
  std::vector<FakeRequest> requests_;
  std::size_t connections_ = 0;
};

}  // namespace volt::http::testing
