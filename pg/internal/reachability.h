// SPDX-License-Identifier: MIT

// Reachability: whether a pool reaches its database, and one log line for each change.
//
//   error    lost the database error="connection to server at .. failed: Connection refused" database=..
//   info     the database is back lost_for=1500.000 database=..
//
// The database is lost when an attempt to connect fails and no other connection is left. It is back when a connection
// is open again. Further failures in between write no line.
//
// Rejected: to report connections that end. A pool closes some of them itself, such as that of an abandoned query, and
// some servers close idle ones; nothing is wrong then, and the next query connects again. If it cannot, the database is
// lost. Queries that were in progress on a connection that ended fail with ConnectionLost.
//
// Threads: lost() and reached() are called under the pool's lock; log() is called without it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace volt::pg::internal {

class Reachability {
 public:
  // A change to be logged.
  struct Change {
    enum class Kind : std::uint8_t { none, lost, back } kind = Kind::none;
    std::string reason = {};               // of a loss
    std::chrono::nanoseconds lost_for{0};  // until the database was back
    std::string database = {};             // host:port/name; empty if it has never been reached
  };

  // `now` is a time of coarse_now().
  [[nodiscard]] Change lost(std::string_view reason, std::chrono::nanoseconds now);
  // `database` names what was reached.
  [[nodiscard]] Change reached(std::string_view database, std::chrono::nanoseconds now);
  static void log(const Change& change) noexcept;

 private:
  bool lost_ = false;
  std::chrono::nanoseconds lost_at_{0};  // valid if lost_
  std::string database_;
};

}  // namespace volt::pg::internal
