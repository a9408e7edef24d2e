// SPDX-License-Identifier: MIT

// pathologies: loads that are known to be difficult for schedulers, with the counters that show how each is handled.
//
//   pathologies [--workers N] [--io auto|uring|epoll] [--only NAME] [--scale X]
//
// loadtest/README.md lists the expected results.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "loadtest/micro/pathologies/pathologies.h"
#include "runtime/metrics.h"
#include "runtime/runtime.h"

namespace {

struct Options {
  volt::RuntimeOptions runtime{.workers = 2};
  std::string_view only;
  double scale = 1;
};

struct Pathology {
  std::string_view name;
  std::string_view what;
  pathologies::Outcome (*measure)(volt::Runtime&, double scale);
  std::uint32_t workers = 0;  // 0: as --workers says
};

constexpr Pathology kPathologies[] = {
    {"one_source", "all tasks are spawned on and woken from one worker, 10 us each", pathologies::one_source},
    {"fast_producer", "one worker spawns faster than the others steal, 3 us each", pathologies::fast_producer},
    {"tiny_tasks", "a million tasks of 1 us from one worker", pathologies::tiny_tasks},
    {"one_lock", "64 tasks compete for one lock and hold it for 2 us", pathologies::one_lock},
    {"pinned", "16 tasks pinned to worker 0, and 16 that are not, 20 us per turn", pathologies::pinned},
    {"one_victim", "8 workers, one of which has slightly too much work: 5 tasks of 3 us at a time",
     pathologies::one_victim, 8},
    {"slow_poll", "50 timers beside a task that computes for 20 ms at a time", pathologies::slow_poll},
    {"lifo_pair", "two tasks wake each other without end, 100 wait in the queue; 1 worker", pathologies::lifo_pair, 1},
    {"always_ready", "one task never needs to wait, another yields; 1 worker", pathologies::always_ready, 1},
};

struct Shown {
  std::string_view name;
  std::uint64_t volt::WorkerMetrics::* value;
};

constexpr Shown kShown[] = {
    {"polls", &volt::WorkerMetrics::polls},         {"lifo", &volt::WorkerMetrics::from_lifo},
    {"local", &volt::WorkerMetrics::from_local},    {"pinned", &volt::WorkerMetrics::from_pinned},
    {"global", &volt::WorkerMetrics::from_global},  {"overflows", &volt::WorkerMetrics::queue_overflows},
    {"stolen", &volt::WorkerMetrics::stolen},       {"attempts", &volt::WorkerMetrics::steal_attempts},
    {"wakes", &volt::WorkerMetrics::wakes_sent},    {"wasted", &volt::WorkerMetrics::wakes_wasted},
    {"parks", &volt::WorkerMetrics::parks},         {"stalls", &volt::WorkerMetrics::stalls},
    {"rescues", &volt::WorkerMetrics::rescues},     {"rescued", &volt::WorkerMetrics::rescued_tasks},
    {"timers", &volt::WorkerMetrics::timers_fired},
};

[[noreturn]] void usage() {
  std::fprintf(stderr, "usage: pathologies [--workers N] [--io auto|uring|epoll] [--only NAME] [--scale X]\nnames:");
  for (const Pathology& pathology : kPathologies) std::fprintf(stderr, " %s", pathology.name.data());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    const std::string_view value = argv[i + 1];
    if (flag == "--workers") {
      options.runtime.workers = static_cast<std::uint32_t>(std::atoi(argv[i + 1]));
    } else if (flag == "--only") {
      options.only = value;
    } else if (flag == "--scale") {
      options.scale = std::atof(argv[i + 1]);
    } else if (flag == "--io" && value == "uring") {
      options.runtime.io = volt::IoEngine::uring;
    } else if (flag == "--io" && value == "epoll") {
      options.runtime.io = volt::IoEngine::epoll;
    } else if (flag != "--io" || value != "auto") {
      usage();
    }
  }
  if (argc % 2 == 0 || options.runtime.workers == 0 || !(options.scale > 0)) usage();
  return options;
}

void print_counters(const volt::RuntimeMetrics& metrics) {
  const volt::WorkerMetrics total = metrics.total();
  std::printf("  ");
  for (const Shown& shown : kShown) {
    if (total.*shown.value != 0) std::printf(" %s=%llu", shown.name.data(), (unsigned long long)(total.*shown.value));
  }
  std::printf("\n   polls by worker:");
  for (const volt::WorkerMetrics& worker : metrics.workers) {
    std::printf(" %.0f%%", 100.0 * static_cast<double>(worker.polls) / static_cast<double>(total.polls));
  }
  std::printf("\n");
}

void show(const Pathology& pathology, const Options& options) {
  volt::RuntimeOptions runtime_options = options.runtime;
  if (pathology.workers != 0) runtime_options.workers = pathology.workers;
  volt::Runtime runtime(runtime_options);
  const pathologies::Outcome outcome = pathology.measure(runtime, options.scale);
  std::printf("%s: %s\n  ", pathology.name.data(), pathology.what.data());
  for (const pathologies::Figure& figure : outcome) std::printf(" %s: %.1f;", figure.name.c_str(), figure.value);
  std::printf("\n");
  print_counters(runtime.metrics());
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  bool found = false;
  for (const Pathology& pathology : kPathologies) {
    if (!options.only.empty() && options.only != pathology.name) continue;
    found = true;
    show(pathology, options);
  }
  if (!found) usage();
}
