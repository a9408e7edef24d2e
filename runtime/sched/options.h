// How a Runtime is made.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace volt {

class Log;
class Resolver;

// Which engine waits for readiness.
enum class IoEngine : std::uint8_t {
  automatic,  // io_uring where the kernel and its sandbox allow it, else epoll; one log line says why
  uring,      // io_uring or an error
  epoll,
};

struct RuntimeOptions {
  std::uint32_t workers = 0;  // worker threads; 0: one for each processor this process may run on
  IoEngine io = IoEngine::automatic;
  bool enable_stealing = true;  // false: thread per core, a task stays where it was spawned
  bool enable_rescue = true;    // take over the connections of a worker that is stuck in a task; needs stealing
  std::uint32_t blocking_threads_max = 64;  // threads for blocking(); started on demand
  std::size_t blocking_queue_max = 10'000;  // callables waiting for one; beyond it, an error
  std::chrono::milliseconds blocking_idle_timeout = std::chrono::seconds(10);  // an idle one ends after this
  bool manual_clock = false;                // time stands still but for Runtime::advance_clock: for tests
  std::chrono::milliseconds schedtrace{0};  // a line of counters to the log this often; 0: as VOLT_SCHEDTRACE says
  std::shared_ptr<Log> log;                 // what it and its tasks have to say (runtime/log.h); null: one to stderr
  std::shared_ptr<Resolver> resolver;       // whom resolve() asks (runtime/resolve.h); null: one with its defaults
};

}  // namespace volt
