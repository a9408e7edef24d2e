// simulation [--seeds N] [--first SEED]: that many runs, one after the other; without --seeds, for some seconds.
// VOLT_SIMULATION_SEED=N: only that run, with the text of its trace. See README.md.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "tests/simulation/service.h"
#include "tests/simulation/world.h"
#include "tests/support/directory.h"
#include "tests/support/sanitizers.h"

namespace volt::simulation {
namespace {

constexpr std::uint64_t kSecondsByDefault = 10;
constexpr std::uint64_t kTwiceEvery = 16;  // every so many seeds, the run is repeated: its trace is to be the same
constexpr unsigned kSecondsOfOneRun = 120;

struct Sum {
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;
  std::uint64_t calls = 0;
  std::uint64_t clients = 0;
  std::uint64_t clients_judged_strictly = 0;
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::map<int, std::uint64_t> faults;

  void add(const RunReport& report) {
    ++runs;
    failed += report.violations.empty() ? 0 : 1;
    calls += report.calls;
    clients += report.clients;
    clients_judged_strictly += report.clients_judged_strictly;
    asked += report.asked;
    answered += report.answered;
    for (const auto& [number, count] : report.faults) faults[number] += count;
  }

  void print() const {
    std::printf("%" PRIu64 " runs, %" PRIu64 " failed; %" PRIu64 " calls; %" PRIu64 " clients, %" PRIu64
                " of whom had to be answered; %" PRIu64 " requests, %" PRIu64 " answers\n",
                runs, failed, calls, clients, clients_judged_strictly, asked, answered);
    for (const auto& [number, count] : faults) std::printf("  %-13s %" PRIu64 "\n", ::strerrorname_np(number), count);
  }
};

// A check that failed, or a run that does not end.
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

int simulate(std::uint64_t first, std::uint64_t count, std::chrono::milliseconds limit) {
  const test::Directory directory;
  const std::string file = (directory.path() / "file").string();
  std::ofstream(file) << pattern(kFileBytes);
  Sum sum;
  if (const char* only = std::getenv("VOLT_SIMULATION_SEED")) {
    return check({.seed = std::strtoull(only, nullptr, 10), .file = file, .print_trace = stdout}, sum) ? 0 : 1;
  }
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i != count && std::chrono::steady_clock::now() - began < limit; ++i) {
    check({.seed = first + i, .file = file}, sum);
  }
  sum.print();
  return sum.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace volt::simulation

int main(int argc, char** argv) {
  using namespace volt;
  std::uint64_t first = 1;
  std::uint64_t count = ~std::uint64_t{0};
  std::chrono::milliseconds limit(test::stress_rounds(simulation::kSecondsByDefault * 1'000));
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::string_view(argv[i]) == "--seeds") {
      count = number;
      limit = std::chrono::hours(24);
    } else if (std::string_view(argv[i]) == "--first") {
      first = number;
    } else {
      std::fprintf(stderr, "usage: %s [--seeds N] [--first SEED]\n", argv[0]);
      return 2;
    }
  }
  ::signal(SIGABRT, simulation::explain);
  ::signal(SIGALRM, simulation::explain);
  return simulation::simulate(first, count, limit);
}
