// SPDX-License-Identifier: MIT

// One run: a complete server, its clients and the kernel between them, from one seed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace volt::simulation {

// A scripted run: well-behaved clients send each request, on separate connections and on one, without
// injected faults, while some of the server's allocations fail.
struct Script {
  std::uint64_t first_to_fail = 0;  // number of the first failing allocation, counted from 1
  std::uint64_t failing = 0;        // how many allocations fail
};

// The kind of a run, which its seed determines. Even seeds run on io_uring, odd seeds on epoll.
enum class RunKind : std::uint8_t {
  one_worker,  // and no watchdog
  storm,       // handlers keep all workers
  calm_storm,  // the same without faults: spare workers must serve in time
  saturation,  // without faults: light and heavy requests want more than all workers; each must be served in time
};
[[nodiscard]] constexpr RunKind kind_of(std::uint64_t seed) noexcept {
  constexpr RunKind kKinds[] = {RunKind::one_worker, RunKind::storm,      RunKind::one_worker, RunKind::calm_storm,
                                RunKind::one_worker, RunKind::saturation, RunKind::one_worker, RunKind::storm};
  return kKinds[seed / 2 % 8];
}
[[nodiscard]] constexpr bool is_free_of_faults(RunKind kind) noexcept {
  return kind == RunKind::calm_storm || kind == RunKind::saturation;
}

// In half of the runs middleware observes all exchanges, and so each handler is a coroutine.
[[nodiscard]] constexpr bool is_observed(std::uint64_t seed) noexcept { return seed / 16 % 2 != 0; }

struct RunOptions {
  std::uint64_t seed = 0;
  std::string file;                  // path of the file that the server serves
  std::FILE* print_trace = nullptr;  // prints every call to it; null: none
  std::optional<Script> script = std::nullopt;
};

struct RunReport {
  std::uint64_t trace_hash = 0;
  std::uint64_t calls = 0;
  std::uint64_t clients = 0;
  std::uint64_t clients_judged_strictly = 0;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::uint64_t spare_activations = 0;
  std::uint64_t rescues = 0;
  std::map<int, std::uint64_t> faults;  // number of injected faults by errno
  bool an_allocation_failed = false;    // an allocation of the script failed
  std::vector<std::string> violations;
};

[[nodiscard]] RunReport run(const RunOptions& options);

// Prints the seed and the last calls of the current run, for a signal handler that reports an abort.
void print_last_calls(std::FILE* file) noexcept;

}  // namespace volt::simulation
