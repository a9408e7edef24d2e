// SPDX-License-Identifier: MIT

// The jobs of a queue in a database, and the options of the queue (database/job_queue.h).
//
// Threads: values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace volt::database {

// Durations of more than a century count as a century, here and in PushOptions.
struct JobQueueOptions {
  std::string name = "default";  // several queues share one table
  std::size_t jobs_max = 4;      // maximum number of jobs that one work() executes at a time
  int attempts_max = 10;         // maximum number of attempts of one job
  // Maximum time of an attempt, which is cancelled then.
  std::chrono::milliseconds timeout = std::chrono::minutes(1);
  // Time for the end of an attempt that is cancelled. The job of a process that has ended is given to another one when
  // timeout and grace have passed; so is a job whose attempt does not end in this time, beside that attempt.
  std::chrono::milliseconds grace = std::chrono::seconds(10);
  // Wait after the first failed attempt. It doubles with each further one, up to backoff_max; up to half of it is
  // random.
  std::chrono::milliseconds backoff_min = std::chrono::seconds(1);
  std::chrono::milliseconds backoff_max = std::chrono::hours(1);
  // Time between two looks at an empty queue. A push() through a copy of the queue in this process is seen at once; one
  // in a transaction when that is committed. pg::JobQueue can listen to other processes (pg/job_queue.h).
  std::chrono::milliseconds poll = std::chrono::seconds(1);
  std::chrono::milliseconds keep_done = std::chrono::hours(24);  // a done job is deleted after this time
};

struct PushOptions {
  std::string key = {};                                            // empty: none
  std::chrono::milliseconds delay = std::chrono::milliseconds(0);  // before the first attempt
};

struct Job {
  std::int64_t id = 0;
  std::string payload;
  int attempt = 0;  // from 1
  std::optional<std::string> key;
};

struct DeadJob {
  std::int64_t id = 0;
  std::string payload;
  std::optional<std::string> key;
  std::string error;  // of the last attempt
};

}  // namespace volt::database
