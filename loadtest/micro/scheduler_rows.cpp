// SPDX-License-Identifier: MIT

// scheduler_rows: the cost of the scheduler's basic operations, in rows that the programs in peers measure as well.
//
//   scheduler_rows [--workers N] [--io auto|uring|epoll] [--only ROW] [--repeat N] [--plain]
//   scheduler_rows --list      prints the names of the rows
//
// Prints medians, in ns per operation unless the row says otherwise. To compare, use loadtest/micro/run.sh, which runs
// each row of each runtime in a process of its own, alternately.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "loadtest/micro/rows/figures.h"
#include "loadtest/micro/rows/rows.h"
#include "runtime/runtime.h"

namespace {

struct Options {
  volt::RuntimeOptions runtime{.workers = 2};
  std::string_view only;  // a row's name; empty: all
  int repeat = 3;
  bool plain = false;  // prints lines "name<tab>value"
};

struct Row {
  std::string_view name;
  void (*measure)(volt::Runtime&, rows::Figures&);
  bool alone = false;  // runs only if named by --only
};

// The rows that measure memory run first, or alone, so that they find no free memory of other rows.
constexpr Row kRows[] = {
    {"parked", rows::parked},
    {"parked_notify", rows::parked_notify, true},
    {"spawn_local_many", rows::spawn_local_many},
    {"spawn_remote_many", rows::spawn_remote_many},
    {"yield_many", rows::yield_many},
    {"ping_pong", rows::ping_pong},
    {"chained_spawn", rows::chained_spawn},
    {"oneshot_wake", rows::oneshot_wake},
    {"idle_to_run", rows::idle_to_run},
    {"timer_create_cancel", rows::timer_create_cancel},
    {"timer_fire", rows::timer_fire},
    {"timer_idle", rows::timer_idle},
    {"timer_load", rows::timer_load},
    {"mpsc_1p1c", rows::mpsc_1p1c},
    {"mpsc_4p1c", rows::mpsc_4p1c},
    {"mpmc_4p4c", rows::mpmc_4p4c},
    {"round_trip", rows::round_trip},
    {"oneshot", rows::oneshot_value},
    {"broadcast", rows::broadcast},
    {"watch", rows::watch},
    {"mutex_8", rows::mutex_8},
    {"rwlock_8", rows::rwlock_8},
    {"semaphore_8", rows::semaphore_8},
    {"barrier_8", rows::barrier_8},
    {"notify", rows::notify},
    {"once", rows::once},
    {"fib", rows::fork_fib},
    {"skynet", rows::fork_skynet},
    {"fork_pair", rows::fork_pair},
    {"all_fib", rows::all_fib},
    {"spawn_fib", rows::spawn_fib},
};

// A line of the table.
struct Line {
  std::string_view name;
  std::string_view meaning;
};

constexpr Line kLines[] = {
    {"spawn_local_many", "a worker spawns 10,000 and awaits all"},
    {"spawn_remote_many", "a foreign thread spawns 10,000"},
    {"yield_many", "200 tasks x 1,000 yields, per yield"},
    {"ping_pong", "1,000 pairs over oneshots, per pair"},
    {"chained_spawn", "each spawns the next, 1,000 long"},
    {"oneshot_wake.p50", "foreign busy thread wakes a task, us"},
    {"oneshot_wake.p99", ""},
    {"idle_to_run.p50", "foreign spawn, all asleep, us"},
    {"idle_to_run.p99", ""},
    {"timer_create_cancel", "100,000 timers set and cancelled"},
    {"timer_fire", "10,000 over a second, CPU ns each"},
    {"timer_lateness.p50", "lateness in timer_fire, us"},
    {"timer_lateness.p99", ""},
    {"timer_idle.p50", "lateness of a lone timer, us"},
    {"timer_idle.p99", ""},
    {"timer_load.p50", "lateness of 100 beside busy tasks, us"},
    {"timer_load.p99", ""},
    {"parked_bytes", "bytes per task, 1,000,000 parked"},
    {"parked_spawn", "spawn 1,000,000 and let them park"},
    {"parked_wake", "wake 1,000,000 parked"},
    {"parked_notify_bytes", "bytes per task, 1,000,000 on a Notify"},
    {"parked_notify_spawn", ""},
    {"parked_notify_wake", ""},
    {"mpsc_1p1c", "channel of 1,000, per message"},
    {"mpsc_4p1c", "4 producers, per message"},
    {"mpmc_4p4c", "4 producers, 4 consumers, per message"},
    {"round_trip", "over two channels of 1"},
    {"oneshot", "made, sent, received in one task"},
    {"broadcast", "to 4 subscribers, per delivery"},
    {"watch", "send, changed, borrow in one task"},
    {"mutex_8", "8 tasks, per lock"},
    {"rwlock_8", "8 tasks, 1 write to 15 reads, per turn"},
    {"semaphore_8", "8 tasks, 4 permits, per turn"},
    {"barrier_8", "8 tasks, per arrival"},
    {"notify", "per round trip"},
    {"once", "initialized and read again"},
    {"fib", "fork-join, fib(30), per call"},
    {"skynet", "sums of ten, 1,000,000 leaves, per leaf"},
    {"fork_pair", "two empty functions, one after the other"},
    {"all_fib", "fib(20), two children in all(), per call"},
    {"spawn_fib", "fib(20), a task a call, per call"},
};

[[noreturn]] void usage() {
  std::fprintf(stderr,
               "usage: scheduler_rows [--workers N] [--io auto|uring|epoll] [--only ROW] [--repeat N] [--plain] "
               "[--list]\nrows:");
  for (const Row& row : kRows) std::fprintf(stderr, " %s", row.name.data());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--list") {
      for (const Row& row : kRows) std::puts(row.name.data());
      std::exit(0);
    }
    if (flag == "--plain") {
      options.plain = true;
      continue;
    }
    if (++i == argc) usage();
    const std::string_view value = argv[i];
    if (flag == "--workers") {
      options.runtime.workers = static_cast<std::uint32_t>(std::atoi(argv[i]));
    } else if (flag == "--only") {
      options.only = value;
    } else if (flag == "--repeat") {
      options.repeat = std::atoi(argv[i]);
    } else if (flag == "--io" && value == "uring") {
      options.runtime.io = volt::IoEngine::uring;
    } else if (flag == "--io" && value == "epoll") {
      options.runtime.io = volt::IoEngine::epoll;
    } else if (flag != "--io" || value != "auto") {
      usage();
    }
  }
  return options;
}

void print_table(const rows::Figures& figures) {
  std::printf("%-20s %10s\n", "row", "Volt");
  for (const Line& line : kLines) {
    if (!figures.has(line.name)) continue;
    std::printf("%-20s %10.1f  %s\n", line.name.data(), figures.median_of(line.name), line.meaning.data());
  }
}

void print_plain(const rows::Figures& figures) {
  for (const Line& line : kLines) {
    if (figures.has(line.name)) std::printf("%s\t%.3f\n", line.name.data(), figures.median_of(line.name));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  rows::Figures figures;
  bool found = false;
  for (int i = 0; i < options.repeat; ++i) {
    for (const Row& row : kRows) {
      if (options.only.empty() ? row.alone : options.only != row.name) continue;
      found = true;
      volt::Runtime runtime(options.runtime);
      row.measure(runtime, figures);
    }
  }
  if (!found) usage();
  if (options.plain) {
    print_plain(figures);
  } else {
    print_table(figures);
  }
}
