// SPDX-License-Identifier: MIT

// Model: the scheduler of a run. It adds its virtual threads to the machine, and serves the connections of the load.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "loadtest/scaling/load.h"
#include "loadtest/scaling/machine.h"

namespace volt::scaling {

struct Counts {
  std::uint64_t wakes = 0;       // workers that other workers have woken
  std::uint64_t wasted = 0;      // of these, those that found nothing
  std::uint64_t searched = 0;    // victims examined
  std::uint64_t thefts = 0;      // successful ones
  std::uint64_t thefts_far = 0;  // from a victim of another domain
  std::uint64_t stolen = 0;      // tasks
  std::uint64_t parks = 0;       // sleeps
  std::uint64_t rescues = 0;
};

class Model {
 public:
  explicit Model(Load& load) : load_(load) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  // Called when the kernel has to report the connection. No virtual thread runs then.
  virtual void arrived(Connection& connection) = 0;

  // Adds what the workers have counted. Called once, after the run.
  virtual void collect_counts() noexcept {}
  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

 protected:
  void count_theft(std::uint32_t thief, std::uint32_t victim, std::uint32_t tasks) noexcept {
    ++counts_.thefts;
    counts_.stolen += tasks;
    if (machine().domain(thief) != machine().domain(victim)) ++counts_.thefts_far;
  }

  Load& load_;
  Counts counts_;
};

// Volt's loop (runtime/sched/worker_loop.h). Without stealing it is a scheduler with a thread per core.
[[nodiscard]] std::unique_ptr<Model> make_volt(Load& load, bool stealing, bool rescue);
[[nodiscard]] std::unique_ptr<Model> make_tokio(Load& load);
[[nodiscard]] std::unique_ptr<Model> make_go(Load& load);

}  // namespace volt::scaling
