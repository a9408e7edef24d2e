// SPDX-License-Identifier: MIT

// Reachability: whether a pool reaches its server, and one log line for each change.
//
//   error    lost the Redis server error="localhost:6379/0: Connection refused" server=localhost:6379/0
//   info     the Redis server is back lost_for=1500.000 server=localhost:6379/0
//
// The server is lost when an attempt to connect fails and no other connection is left. It is back when a connection is
// open again. Further failures in between write no line. Connections that end write none: some servers close idle ones,
// and the next command connects again.
//
// Threads: lost() and reached() are called under the pool's lock; log() is called without it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace volt::redis::internal {

class Reachability {
 public:
  // A change to be logged.
  struct Change {
    enum class Kind : std::uint8_t { none, lost, back } kind = Kind::none;
    std::string reason = {};               // of a loss
    std::chrono::nanoseconds lost_for{0};  // until the server was back
  };

  // `now` is a time of coarse_now().
  [[nodiscard]] Change lost(std::string_view reason, std::chrono::nanoseconds now);
  [[nodiscard]] Change reached(std::chrono::nanoseconds now);
  static void log(const Change& change, std::string_view server) noexcept;

 private:
  bool lost_ = false;
  std::chrono::nanoseconds lost_at_{0};  // valid if lost_
};

}  // namespace volt::redis::internal
