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

struct RunOptions {
  std::uint64_t seed = 0;            // even: on io_uring, odd: on epoll
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
  std::map<int, std::uint64_t> faults;  // number of injected faults by errno
  bool an_allocation_failed = false;    // an allocation of the script failed
  std::vector<std::string> violations;
};

[[nodiscard]] RunReport run(const RunOptions& options);

// Prints the seed and the last calls of the current run, for a signal handler that reports an abort.
void print_last_calls(std::FILE* file) noexcept;

}  // namespace volt::simulation
