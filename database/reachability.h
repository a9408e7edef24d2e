// SPDX-License-Identifier: MIT

// Reachability: whether a pool reaches its server, and one log line for each change.
//
//   error    lost the database error="connection to server at .. failed: Connection refused" database=..
//   info     the database is back lost_for=1500.000 database=..
//
// The server is lost when an attempt to connect fails and no other connection is left. It is back when a connection is
// open again. Further failures in between write no line.
//
// Rejected: to report connections that end. A pool closes some of them itself, such as that of an abandoned query, and
// some servers close idle ones; nothing is wrong then, and the next query connects again. If it cannot, the server is
// lost. What was in progress on a connection that ended fails with ConnectionLost.
//
// Threads: lost() and reached() are called under the pool's lock; log() is called without it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace volt::database {

// How log lines name what a pool connects to. The texts must outlive the pool: literals.
struct Peer {
  std::string_view module = {};  // of the log lines
  std::string_view label = {};   // of its name in the lines, such as `database`
  std::string_view lost = {};    // "lost the database"
  std::string_view back = {};    // "the database is back"
};

class Reachability {
 public:
  // A change to be logged.
  struct Change {
    enum class Kind : std::uint8_t { none, lost, back } kind = Kind::none;
    std::string reason = {};               // of a loss
    std::chrono::nanoseconds lost_for{0};  // until the server was back
    std::string name = {};                 // of the server; empty if it is unknown
  };

  Reachability(Peer peer, std::string name) : peer_(peer), name_(std::move(name)) {}

  // `now` is a time of coarse_now().
  [[nodiscard]] Change lost(std::string_view reason, std::chrono::nanoseconds now);
  // `name` names what was reached.
  [[nodiscard]] Change reached(std::string_view name, std::chrono::nanoseconds now);
  void log(const Change& change) const noexcept;

 private:
  const Peer peer_;
  bool lost_ = false;
  std::chrono::nanoseconds lost_at_{0};  // valid if lost_
  std::string name_;
};

}  // namespace volt::database
