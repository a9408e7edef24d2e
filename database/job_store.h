// SPDX-License-Identifier: MIT

// JobStore: the table of the jobs of one queue, as one database keeps it (pg/job_queue.cpp, sqlite/job_queue.cpp).
//
// Threads: any; tasks run concurrently. Lifetime: outlives its tasks. Errors: those of the database, which are derived
// from std::runtime_error.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "database/job.h"
#include "runtime/task.h"

namespace volt::database {

struct NewJob {
  std::string payload;
  std::optional<std::string> key;
  std::chrono::milliseconds delay{0};      // before the first attempt
  std::chrono::milliseconds keep_done{0};  // a job that was done before this time does not keep its key from others
};

// The number of jobs of the queue that are not done, in all processes.
struct JobCounts {
  std::int64_t queued = 0;     // their time has come, and they wait for a worker
  std::int64_t scheduled = 0;  // their time has not come: a delay, the wait after a failure, or they are being executed
  std::int64_t dead = 0;
  double oldest_seconds = 0;  // how long the first queued job has waited; 0: there is none
};

class JobStore {
 public:
  virtual ~JobStore() = default;

  [[nodiscard]] virtual Task<> make_table() = 0;
  // Returns false if there is a job with the key.
  [[nodiscard]] virtual Task<bool> push(NewJob job) = 0;
  // Takes the first job whose time has come and that no other process has, counts an attempt, and keeps the job from
  // others for `lease`. Returns nothing if there is none.
  [[nodiscard]] virtual Task<std::optional<Job>> claim(std::chrono::milliseconds lease) = 0;

  // These change a job that claim() returned. They change nothing, and finish() returns false, if the job was given to
  // another process since: Job::attempt shows it.
  [[nodiscard]] virtual Task<bool> finish(Job job) = 0;
  [[nodiscard]] virtual Task<> repeat(Job job, std::string error, std::chrono::milliseconds wait) = 0;
  [[nodiscard]] virtual Task<> bury(Job job, std::string error) = 0;  // the job is dead
  [[nodiscard]] virtual Task<> give_back(Job job) = 0;                // the attempt does not count

  // Deletes jobs that were done before `age`.
  [[nodiscard]] virtual Task<> delete_done(std::chrono::milliseconds age) = 0;
  [[nodiscard]] virtual Task<JobCounts> count() = 0;
  [[nodiscard]] virtual Task<std::vector<DeadJob>> dead(int limit) = 0;
  // Gives a dead job all its attempts again. Returns false if there is no such job.
  [[nodiscard]] virtual Task<bool> retry(std::int64_t id) = 0;

  // Calls the function when another process may have pushed a job, until the task is cancelled. A store that learns
  // nothing of other processes returns at once.
  [[nodiscard]] virtual Task<> watch(std::function<void()>) { co_return; }
};

}  // namespace volt::database
