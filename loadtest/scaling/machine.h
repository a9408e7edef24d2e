// SPDX-License-Identifier: MIT

// Machine: the cores of the model, their virtual time, and the cache lines that move between them.
//
// Each virtual thread is a fiber on a core of its own, with a clock of its own. Threads run in the order of their
// clocks: a thread that is ahead of another one, or of an event outside, is suspended before it next moves a line,
// spends time or sleeps. An access to a line that the core holds is not such a point, unless the thread is ahead by
// more than kSlackNs. So two accesses may take effect in another order than their times by at most this; each execution
// is one that sequentially consistent hardware could show.
//
// A line is held by one core that may write it, or by any number that may read it. An access by another core moves it,
// at the cost of the distance to the farthest core that has to give it up. Writes of one line follow each other: a line
// that many cores write is a queue.
//
// Threads: one. Only one machine may exist at a time.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loadtest/scaling/atomics.h"
#include "loadtest/scaling/costs.h"
#include "tests/model/explorer/fiber.h"

namespace volt::scaling {

class Machine {
 public:
  static constexpr std::uint32_t kThreadsMax = 320;
  static constexpr std::int64_t kNever = INT64_MAX;

  // Lines that moved, by the function that wanted them.
  struct Moved {
    std::uint64_t lines = 0;
    std::uint64_t between_domains = 0;
  };

  // The cores 0 to `cores` - 1 are divided evenly among the domains.
  Machine(const Costs& costs, std::uint32_t cores, std::uint32_t domains);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Adds a virtual thread, on the next core. `body` must not return before the run has ended.
  void add_thread(std::function<void()> body);
  // Runs until `end_run` is called. `next_outside_ns` returns the time of the next event outside of the cores;
  // `outside` lets it happen.
  void run(std::function<std::int64_t()> next_outside_ns, std::function<void()> outside);
  void end_run() noexcept { ended_ = true; }

  // ---- called by virtual threads ----
  void spend(std::int64_t ns) noexcept;
  void touch(const void* address, Access access, const char* function) noexcept;
  // Fetches the lines of a task whose last core was `from`.
  void fetch_task(std::uint32_t from) noexcept;
  // Sleeps until wake(), or until `until_ns`. Returns at once if the thread was woken since its last sleep.
  void sleep(std::int64_t until_ns = kNever) noexcept;
  // Makes the next sleep return at once.
  void keep_wake() noexcept { threads_[current_].woken = true; }
  // Wakes a thread from another one: costs the caller the system call.
  void wake(std::uint32_t thread) noexcept;

  // ---- called by anything ----
  // Wakes a thread because the kernel has an event for it.
  void wake_by_kernel(std::uint32_t thread) noexcept;
  [[nodiscard]] std::int64_t now_ns() const noexcept;
  [[nodiscard]] std::uint32_t current() const noexcept { return current_; }
  [[nodiscard]] bool asleep(std::uint32_t thread) const noexcept { return threads_[thread].asleep; }
  [[nodiscard]] std::uint32_t domain(std::uint32_t core) const noexcept;
  [[nodiscard]] const Costs& costs() const noexcept { return costs_; }

  // ---- results, since reset_counts() ----
  void reset_counts() noexcept;
  [[nodiscard]] const std::map<std::string, Moved>& moved() const noexcept;
  [[nodiscard]] Moved task_lines() const noexcept { return task_lines_; }
  // Time for which threads did not sleep, of the first `count` threads.
  [[nodiscard]] std::int64_t awake_ns(std::uint32_t count) const noexcept;

 private:
  static constexpr std::int64_t kSlackNs = 200;
  static constexpr std::uint32_t kOutside = ~0u;

  using Cores = std::bitset<kThreadsMax>;
  struct Line {
    Cores holders;
    std::uint32_t last = kOutside;  // the core that wrote it last
    std::int64_t free_at_ns = 0;    // when its last write is complete
  };
  struct Thread {
    std::function<void()> body;
    std::unique_ptr<model::Fiber> fiber;
    std::int64_t clock_ns = 0;
    std::uint64_t ticket = 0;  // entries of ready_ with another ticket are void
    bool asleep = false;
    bool woken = false;
    std::int64_t slept_ns = 0;
    std::int64_t asleep_since_ns = 0;
  };
  struct Ready {
    std::int64_t at_ns;
    std::uint64_t order;
    std::uint32_t thread;
    std::uint64_t ticket;
    bool operator>(const Ready& other) const noexcept {
      return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
  };

  static void enter() noexcept;
  [[nodiscard]] std::int64_t distance(std::uint32_t core, std::uint32_t other) const noexcept;
  [[nodiscard]] bool any_in_other_domain(const Cores& cores, std::uint32_t core) const noexcept;
  void make_ready(std::uint32_t thread, std::int64_t at_ns) noexcept;
  void end_sleep(std::uint32_t thread, std::int64_t at_ns) noexcept;
  void update_horizon() noexcept;
  void let_earlier_run() noexcept;
  void switch_away() noexcept;
  void count_move(const char* function, bool between_domains) noexcept;

  const Costs costs_;
  const std::uint32_t cores_;
  const std::uint32_t domains_;
  std::vector<Cores> domain_cores_;
  std::vector<Thread> threads_;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::uint64_t order_ = 0;
  std::uint32_t current_ = kOutside;
  std::int64_t outside_ns_ = 0;
  std::int64_t horizon_ns_ = 0;  // the time of the next event of another thread or outside
  bool running_ = false;
  bool ended_ = false;
  model::Fiber main_;
  std::function<std::int64_t()> next_outside_ns_;
  std::function<void()> outside_;
  std::unordered_map<std::uintptr_t, Line> lines_;
  std::unordered_map<const char*, Moved> counts_;
  mutable std::map<std::string, Moved> moved_;
  Moved task_lines_;
  std::int64_t counts_since_ns_ = 0;
};

// The machine that exists.
[[nodiscard]] Machine& machine() noexcept;

}  // namespace volt::scaling
