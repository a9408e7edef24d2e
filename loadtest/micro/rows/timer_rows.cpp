// SPDX-License-Identifier: MIT

// Rows of timers: many that are set and cancelled, like the deadlines of requests; many that fire; how late they fire.
#include <chrono>
#include <memory>
#include <vector>

#include "loadtest/micro/rows/countdown.h"
#include "loadtest/micro/rows/rows.h"
#include "runtime/sched/clock.h"
#include "runtime/sched/current.h"
#include "runtime/sched/timers.h"
#include "runtime/sched/worker.h"
#include "runtime/spawn.h"
#include "runtime/task.h"
#include "runtime/time.h"

namespace rows {
namespace {

using volt::Task;
using volt::sched::now_ns;

constexpr int kRounds = 31;
constexpr std::size_t kSetTimers = 100'000;
constexpr std::size_t kTimers = 10'000;
constexpr std::size_t kIdleNaps = 300;
constexpr std::size_t kNappers = 100;  // sleeping tasks of timer_load
constexpr std::size_t kNaps = 50;
constexpr std::size_t kBusyTasks = 8;
constexpr std::int64_t kBusyNs = 50'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kLeadNs = 300'000'000;   // from the first spawn to the first deadline: then every task sleeps
constexpr std::int64_t kQuietNs = 100'000'000;  // how long before the first deadline the CPU clock is read

// The timer of a deadline, which is part of an operation that is waited for; users have no timer without an operation.
class IdleTimer final : public volt::sched::Timer {
 public:
  volt::io::Completion* fire() noexcept override { return nullptr; }
};

Task<std::int64_t> create_and_cancel(std::size_t count) {
  std::vector<std::unique_ptr<IdleTimer>> timers;
  timers.reserve(count);
  volt::sched::Timers& wheel = volt::sched::current()->worker->timers();
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != count; ++i) {
    timers.push_back(std::make_unique<IdleTimer>());
    // Deadlines of 30 to 60 s, as those of requests are.
    wheel.add(*timers.back(), began_ns + 30 * kSecondNs + static_cast<std::int64_t>(i) * 30 * kSecondNs / count);
  }
  for (auto& timer : timers) {
    volt::sched::Timers::remove(*timer);
    timer.reset();
  }
  co_return now_ns() - began_ns;
}

struct Firing {
  Countdown countdown;
  std::vector<double> lateness_ns;
};

std::chrono::nanoseconds time_until(std::int64_t moment_ns) { return std::chrono::nanoseconds(moment_ns - now_ns()); }

Task<> sleep_until(Borrowed<Firing> firing, std::size_t index, std::int64_t deadline_ns) {
  co_await volt::sleep_for(time_until(deadline_ns));
  firing->lateness_ns[index] = static_cast<double>(now_ns() - deadline_ns);
  firing->countdown.count_down();
}

// Returns the CPU time used from shortly before the first deadline until all timers have fired.
Task<std::int64_t> fire_all(Borrowed<Firing> firing, std::size_t count) {
  firing->lateness_ns.resize(count);
  volt::OneshotReceiver<Done> all_done = firing->countdown.start(count);
  const std::int64_t first_ns = now_ns() + kLeadNs;
  for (std::size_t i = 0; i != count; ++i) {
    const std::int64_t deadline_ns = first_ns + static_cast<std::int64_t>(i) * kSecondNs / count;
    volt::spawn(sleep_until, firing, i, deadline_ns).detach();
  }
  co_await volt::sleep_for(time_until(first_ns - kQuietNs));
  const std::int64_t cpu_before_ns = process_cpu_ns();
  static_cast<void>(co_await all_done.receive());
  co_return process_cpu_ns() - cpu_before_ns;
}

// Sleeps `count` times for 3 to 7 ms; the durations vary, so that they coincide with no tick.
Task<> nap(std::vector<double>& lateness_ns, std::size_t count, std::size_t seed) {
  for (std::size_t i = 0; i != count; ++i) {
    const std::int64_t nap_ns = 3'000'000 + static_cast<std::int64_t>((seed + i) * 7'919 % 4'001) * 1'000;
    const std::int64_t deadline_ns = now_ns() + nap_ns;
    co_await volt::sleep_for(std::chrono::nanoseconds(nap_ns));
    lateness_ns.push_back(static_cast<double>(now_ns() - deadline_ns));
  }
}

struct Load {
  volt::base::Atomic<bool> over{false};
  Countdown napping;
  std::vector<std::vector<double>> lateness_ns{kNappers};
};

Task<> keep_busy(Borrowed<Load> load) {
  while (!load->over.load(volt::base::relaxed)) {  // relaxed: a flag
    const std::int64_t end_ns = now_ns() + kBusyNs;
    while (now_ns() < end_ns) {
    }
    co_await volt::yield();
  }
}

Task<> nap_under_load(Borrowed<Load> load, std::size_t index) {
  auto& lateness_ns = load->lateness_ns[index];
  co_await nap(lateness_ns, kNaps, index);
  load->napping.count_down();
}

Task<> nap_beside_busy_tasks(Borrowed<Load> load) {
  volt::OneshotReceiver<Done> all_done = load->napping.start(kNappers);
  TaskGroup busy;
  for (std::size_t i = 0; i != kBusyTasks; ++i) busy.spawn(keep_busy, load);
  for (std::size_t i = 0; i != kNappers; ++i) volt::spawn(nap_under_load, load, i).detach();
  static_cast<void>(co_await all_done.receive());
  load->over.store(true, volt::base::relaxed);  // relaxed: a flag
  co_await busy.join();
}

}  // namespace

void timer_create_cancel(volt::Runtime& runtime, Figures& figures) {
  const double ns = median_of_rounds(kRounds, [&] { return runtime.block_on(create_and_cancel, kSetTimers); });
  figures.add("timer_create_cancel", ns / kSetTimers);
}

void timer_fire(volt::Runtime& runtime, Figures& figures) {
  Firing firing;
  const auto cpu_ns = static_cast<double>(runtime.block_on(fire_all, Borrowed<Firing>{&firing}, kTimers));
  figures.add("timer_fire", cpu_ns / kTimers);
  figures.add_latencies("timer_lateness", firing.lateness_ns);
}

void timer_idle(volt::Runtime& runtime, Figures& figures) {
  std::vector<double> lateness_ns;
  runtime.block_on(nap, lateness_ns, kIdleNaps, std::size_t{0});
  figures.add_latencies("timer_idle", lateness_ns);
}

void timer_load(volt::Runtime& runtime, Figures& figures) {
  Load load;
  runtime.block_on(nap_beside_busy_tasks, Borrowed<Load>{&load});
  std::vector<double> all_ns;
  for (const auto& mine : load.lateness_ns) all_ns.insert(all_ns.end(), mine.begin(), mine.end());
  figures.add_latencies("timer_load", all_ns);
}

}  // namespace rows
