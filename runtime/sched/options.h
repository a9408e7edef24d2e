// SPDX-License-Identifier: MIT

// RuntimeOptions: the settings of a Runtime.
#pragma once

#include <signal.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace volt {

class Log;
class Resolver;

// The engine that waits for readiness.
enum class IoEngine : std::uint8_t {
  automatic,  // io_uring where the kernel and its sandbox allow it, else epoll; one log line names the reason
  uring,      // io_uring; an error if it is not available
  epoll,
};

struct RuntimeOptions {
  static constexpr std::uint32_t kWorkersMax = 1024;      // the largest value of `workers`
  static constexpr std::uint32_t kSpareWorkersMax = 256;  // the largest value of `spare_workers_max`

  std::uint32_t workers = 0;  // number of worker threads; 0: one for each processor that this process may run on
  IoEngine io = IoEngine::automatic;
  bool enable_stealing = true;  // false: thread per core, a task stays on the worker where it was spawned
  bool enable_rescue = true;    // take over the connections of a worker that is stuck in a task; requires stealing
  // The signal by which a worker that computes is interrupted for its rescue (docs/scheduler.md); 0: none, the rescue
  // then costs more.
  int rescue_signal = SIGURG;
  // Maximum number of additional threads that run what waits while all workers are stuck in tasks; 0: none. They are
  // started when they are needed. Requires rescue.
  std::uint32_t spare_workers_max = 16;
  std::chrono::milliseconds spare_idle_timeout = std::chrono::seconds(10);  // then the thread of an idle one ends
  std::uint32_t blocking_threads_max = 64;  // maximum number of threads for blocking(); started on demand
  std::size_t blocking_queue_max = 10'000;  // maximum number of callables waiting for such a thread; an error beyond it
  // An idle thread for blocking() ends after this time.
  std::chrono::milliseconds blocking_idle_timeout = std::chrono::seconds(10);
  bool manual_clock = false;                // for tests: time advances only through Runtime::advance_clock
  std::chrono::milliseconds schedtrace{0};  // interval between log lines with counters; 0: the value of VOLT_SCHEDTRACE
  // Log of the runtime and its tasks (runtime/log.h); null: a new log to stderr.
  std::shared_ptr<Log> log;
  // Resolver that resolve() uses (runtime/resolve.h); null: one with default settings.
  std::shared_ptr<Resolver> resolver;
};

}  // namespace volt
