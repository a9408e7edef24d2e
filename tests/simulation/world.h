// One run: a whole server, its clients and the kernel between them, from one seed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace volt::simulation {

// Instead of chance: clients without a fault ask each question, alone and after each other, in fair weather, while
// some of the server's allocations fail.
struct Script {
  std::uint64_t first_to_fail = 0;  // from 1 on
  std::uint64_t failing = 0;
};

struct RunOptions {
  std::uint64_t seed = 0;            // even: on io_uring, odd: on epoll
  std::string file;                  // that the server serves
  std::FILE* print_trace = nullptr;  // all of it
  std::optional<Script> script = std::nullopt;
};

struct RunReport {
  std::uint64_t trace_hash = 0;
  std::uint64_t calls = 0;
  std::uint64_t clients = 0;
  std::uint64_t clients_judged_strictly = 0;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::map<int, std::uint64_t> faults;  // injected, by errno
  bool an_allocation_failed = false;    // of a script
  std::vector<std::string> violations;
};

[[nodiscard]] RunReport run(const RunOptions& options);

// Of the run that is under way, for whoever has to explain its sudden end: the seed, and the last calls.
void print_last_calls(std::FILE* file) noexcept;

}  // namespace volt::simulation
