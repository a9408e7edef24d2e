// SPDX-License-Identifier: MIT

// simulation [--seeds N] [--first SEED]: N runs, one after the other; without --seeds, as many as fit into 10 s, but at
// least 32.
// VOLT_SIMULATION_SEED=N: only this run, with its trace as text.
//
// simulation --allocations STRIDE [--failing K]: runs the script with K failing allocations, from the n-th on, for
// n = 1, 1 + STRIDE, ..., on epoll and on io_uring.
//
// simulation --only N [--first 1|2] [--failing K]: runs the script with n = N, on epoll (1) or io_uring (2), and prints
// the stacks of the failing allocations.
//
// See README.md.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tests/simulation/allocations.h"
#include "tests/simulation/service.h"
#include "tests/simulation/world.h"
#include "tests/support/directory.h"
#include "tests/support/sanitizers.h"

#if defined(VOLT_ADDRESS_SANITIZER)
extern "C" int __lsan_do_recoverable_leak_check();
#endif

namespace volt::simulation {
namespace {

constexpr std::uint64_t kSecondsByDefault = 10;
// On a busy machine the seconds can end within the first run, which is on epoll. The first 32 runs have every kind of
// run (kind_of in world.h) on both engines, and rings of different kernels.
constexpr std::uint64_t kRunsByDefaultMin = 32;
constexpr std::uint64_t kTwiceEvery = 13;  // one run in so many, of any kind, is repeated: its trace must be the same
constexpr unsigned kSecondsOfOneRun = 120;

struct Sum {
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;
  std::uint64_t calls = 0;
  std::uint64_t clients = 0;
  std::uint64_t clients_judged_strictly = 0;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::uint64_t spare_activations = 0;
  std::uint64_t rescues = 0;
  std::map<int, std::uint64_t> faults;

  void add(const RunReport& report) {
    ++runs;
    failed += report.violations.empty() ? 0 : 1;
    calls += report.calls;
    clients += report.clients;
    clients_judged_strictly += report.clients_judged_strictly;
    asked += report.asked;
    answered += report.answered;
    spare_activations += report.spare_activations;
    rescues += report.rescues;
    for (const auto& [number, count] : report.faults) faults[number] += count;
  }

  void print() const {
    std::printf("%" PRIu64 " runs, %" PRIu64 " failed; %" PRIu64 " calls; %" PRIu64 " clients, %" PRIu64
                " judged strictly; %" PRIu64 " requests, %" PRIu64 " responses; %" PRIu64
                " spare workers activated, %" PRIu64 " rescues\n",
                runs, failed, calls, clients, clients_judged_strictly, asked, answered, spare_activations, rescues);
    for (const auto& [number, count] : faults) std::printf("  %-13s %" PRIu64 "\n", ::strerrorname_np(number), count);
  }
};

// Signal handler for a failed check or a run that does not end: prints the last calls.
extern "C" void explain(int signal) {
  print_last_calls(stderr);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

bool check(const RunOptions& options, Sum& sum) {
  ::alarm(kSecondsOfOneRun);
  RunReport report = run(options);
  if (options.seed % kTwiceEvery == 0 && run(options).trace_hash != report.trace_hash) {
    report.violations.emplace_back("two runs of the same seed differ");
  }
  ::alarm(0);
  sum.add(report);
  for (const std::string& violation : report.violations) {
    std::printf("seed %" PRIu64 ": %s\n", options.seed, violation.c_str());
  }
  return report.violations.empty();
}

// Makes `count` runs, and further ones until `limit` is over.
int simulate(const std::string& file, std::uint64_t first, std::uint64_t count, std::chrono::milliseconds limit) {
  Sum sum;
  if (const char* only = std::getenv("VOLT_SIMULATION_SEED")) {
    return check({.seed = std::strtoull(only, nullptr, 10), .file = file, .print_trace = stdout}, sum) ? 0 : 1;
  }
  const auto began = std::chrono::steady_clock::now();
  const auto in_time = [&] { return std::chrono::steady_clock::now() - began < limit; };
  for (std::uint64_t i = 0; i < count || in_time(); ++i) {
    check({.seed = first + i, .file = file}, sum);
  }
  sum.print();
  return sum.failed == 0 ? 0 : 1;
}

bool memory_leaked() {
#if defined(VOLT_ADDRESS_SANITIZER)
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;  // unknown without the address sanitizer
#endif
}

// The result of a script. It is the exit status of a child process, since the run may abort.
enum ScriptEnd : int { kWell = 0, kBadly = 1, kNothingFailed = 3 };

ScriptEnd run_script(const RunOptions& options) {
  ::alarm(kSecondsOfOneRun);
  const RunReport report = run(options);
  for (const std::string& violation : report.violations) std::printf("  %s\n", violation.c_str());
  std::fflush(stdout);
  if (!report.violations.empty() || memory_leaked()) return kBadly;
  return report.an_allocation_failed ? kWell : kNothingFailed;
}

int run_script_apart(const RunOptions& options) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run_script(options));
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Runs the script without a failure, which must be correct, and then for each n: the last run is like the first one.
// True if all runs were correct.
bool fail_allocations(RunOptions options, std::uint64_t stride) {
  std::uint64_t bad = 0;
  std::uint64_t& number = options.script->first_to_fail;
  number = std::numeric_limits<std::uint64_t>::max() / 2;
  if (run_script_apart(options) != kNothingFailed) {
    std::printf("the script fails although no allocation does\n");
    return false;
  }
  for (number = 1;; number += stride) {
    const int end = run_script_apart(options);
    if (end == kNothingFailed) break;
    if (end == kWell) continue;
    ++bad;
    std::printf("allocation %" PRIu64 ": %s\n", number, end == kBadly ? "violations above" : "the process aborted");
  }
  std::printf("%s: about %" PRIu64 " allocations; 1 in %" PRIu64 " made to fail; %" PRIu64 " bad runs\n",
              options.seed == 1 ? "epoll" : "io_uring", number - 1, stride, bad);
  return bad == 0;
}

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t seeds = 0;
  std::uint64_t allocations = 0;  // the stride; 0: no allocation fails
  std::uint64_t failing = 1;
  std::uint64_t only = 0;

  // Parses the arguments. False if they are invalid.
  bool read(std::span<char*> words) {
    for (; words.size() >= 2; words = words.subspan(2)) {
      std::uint64_t* const place = place_of(words[0]);
      if (place == nullptr) return false;
      *place = std::strtoull(words[1], nullptr, 10);
    }
    return words.empty();
  }

 private:
  std::uint64_t* place_of(std::string_view name) {
    if (name == "--first") return &first;
    if (name == "--seeds") return &seeds;
    if (name == "--allocations") return &allocations;
    if (name == "--failing") return &failing;
    if (name == "--only") return &only;
    return nullptr;
  }
};

}  // namespace
}  // namespace volt::simulation

int main(int argc, char** argv) {
  using namespace volt;
  using namespace volt::simulation;
  Arguments arguments;
  if (!arguments.read(std::span(argv, static_cast<std::size_t>(argc)).subspan(1))) {
    std::fprintf(stderr, "usage: %s [--seeds N] [--first SEED] | --allocations STRIDE | --only N  [--failing K]\n",
                 argv[0]);
    return 2;
  }
  ::signal(SIGABRT, explain);
  ::signal(SIGALRM, explain);
  const test::Directory directory;
  const std::string file = (directory.path() / "file").string();
  std::ofstream(file) << pattern(kFileBytes);
  const Script script{.first_to_fail = arguments.only, .failing = arguments.failing};
  if (arguments.only != 0) {
    print_failing_allocations();
    return run_script({.seed = arguments.first, .file = file, .script = script});
  }
  if (arguments.allocations != 0) {
    const bool well_on_epoll = fail_allocations({.seed = 1, .file = file, .script = script}, arguments.allocations);
    const bool well_on_uring = fail_allocations({.seed = 2, .file = file, .script = script}, arguments.allocations);
    return well_on_epoll && well_on_uring ? 0 : 1;
  }
  if (arguments.seeds != 0) return simulate(file, arguments.first, arguments.seeds, {});
  const std::chrono::milliseconds limit(test::stress_rounds(kSecondsByDefault * 1'000));
  return simulate(file, arguments.first, kRunsByDefaultMin, limit);
}
