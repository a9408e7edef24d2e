// SPDX-License-Identifier: MIT

// Load: the requests of a run, which are drawn before it begins, and what became of them.
//
// The load is open: requests arrive at their times, however long earlier ones take. A request belongs to a connection.
// A connection is a task; the requests that have come when its turn begins, or come in it, are served in that turn.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "loadtest/scaling/machine.h"

namespace volt::scaling {

struct LoadOptions {
  std::uint32_t workers = 8;
  double load = 0.5;                  // arriving work / what all workers together can do
  std::int64_t service_ns = 4'000;    // mean time of a request on a core, with its two system calls
  std::string services = "constant";  // constant, exponential, or mixed: one in 20 takes 20 times the others
  std::string arrivals = "poisson";   // poisson, or bursty: `workers` at a time
  bool skewed = false;                // half of the requests come to the connections of an eighth of the workers
  double stalls = 0;                  // share of `load` that comes as requests of 50 ms
  std::uint32_t connections = 0;      // 0: 16 for each worker
  std::uint32_t requests = 100'000;
  bool placed = true;  // connections are placed as volt::Placement does; otherwise by a hash alone (SO_REUSEPORT)
  std::uint64_t seed = 1;
};

struct Request {
  std::int64_t at_ns;
  std::int64_t service_ns;
  std::uint32_t connection;
};

// A connection, and the task that serves it. The first members are those that the scheduler's queues and loop use.
struct Connection {
  struct Class {
    [[nodiscard]] static bool is_urgent() noexcept { return false; }
  };

  Connection* queue_next = nullptr;
  bool pinned = false;
  Class work_class;
  std::uint32_t index = 0;
  std::uint32_t home = 0;         // the worker whose reactor reports it
  std::uint32_t last_worker = 0;  // whose core holds its lines
  bool active = false;            // an event of it waits, or its task is queued or runs
  std::uint8_t foreign_waits = 0;
  std::int64_t moved_at_ns = INT64_MIN / 2;
  std::deque<Request> waiting;
};

class Load {
 public:
  static constexpr std::int64_t kStallNs = 50'000'000;

  explicit Load(const LoadOptions& options);

  [[nodiscard]] std::int64_t next_ns() const noexcept {
    return next_ < requests_.size() ? requests_[next_].at_ns : drain_until_ns_;
  }
  // Lets the next request arrive. Returns its connection if the kernel has to report it; null if its task is active, or
  // if the time to drain is over.
  [[nodiscard]] Connection* arrive() noexcept;

  // Serves what waits for the connection, on the current virtual thread, for about `limit_ns` at most. Returns whether
  // more waits; if not, the task waits for the kernel from now on.
  [[nodiscard]] bool serve(Connection& connection, std::int64_t limit_ns = Machine::kNever) noexcept;

  [[nodiscard]] bool all_done() const noexcept { return done_ == requests_.size(); }
  [[nodiscard]] std::vector<Connection>& connections() noexcept { return connections_; }
  [[nodiscard]] const LoadOptions& options() const noexcept { return options_; }

  // ---- results, without the first tenth of the requests ----
  [[nodiscard]] double throughput() const noexcept;  // requests a second, until the last one has arrived
  [[nodiscard]] double offered() const noexcept;
  [[nodiscard]] double latency_us(double quantile);
  [[nodiscard]] std::uint64_t measured() const noexcept { return latencies_ns_.size(); }
  [[nodiscard]] std::uint64_t lost() const noexcept { return requests_.size() - done_; }

 private:
  static constexpr std::uint32_t kRequestsInTurn = 64;  // as the operation budget of a task: two operations for each

  void place_connections();
  void draw_requests();

  const LoadOptions options_;
  std::vector<Connection> connections_;
  std::vector<std::uint32_t> hot_;
  std::vector<Request> requests_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::size_t done_in_window_ = 0;
  std::int64_t window_begin_ns_ = 0;
  std::int64_t window_end_ns_ = 0;
  std::int64_t drain_until_ns_ = 0;
  std::vector<std::int64_t> latencies_ns_;
};

}  // namespace volt::scaling
