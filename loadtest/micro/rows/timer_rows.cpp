// Rows of timers: one that is set and taken back, as a request's deadline is, and many that fire.
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
constexpr std::size_t kTimers = 10'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kLeadNs = 300'000'000;   // until every task sleeps
constexpr std::int64_t kQuietNs = 100'000'000;  // of them, before the first fires: then the processor clock is read

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

Task<> sleep_until(Kept<Firing> firing, std::size_t index, std::int64_t deadline_ns) {
  co_await volt::sched::Sleep(deadline_ns);
  firing->lateness_ns[index] = static_cast<double>(now_ns() - deadline_ns);
  firing->countdown.count_down();
}

// Processor time used from shortly before the first deadline until all have fired.
Task<std::int64_t> fire_all(Kept<Firing> firing, std::size_t count) {
  firing->lateness_ns.resize(count);
  volt::OneshotReceiver<Done> all_done = firing->countdown.start(count);
  const std::int64_t first_ns = now_ns() + kLeadNs;
  for (std::size_t i = 0; i != count; ++i) {
    const std::int64_t deadline_ns = first_ns + static_cast<std::int64_t>(i) * kSecondNs / count;
    volt::spawn(sleep_until, firing, i, deadline_ns).detach();
  }
  co_await volt::sched::Sleep(first_ns - kQuietNs);
  const std::int64_t cpu_before_ns = process_cpu_ns();
  static_cast<void>(co_await all_done.receive());
  co_return process_cpu_ns() - cpu_before_ns;
}

}  // namespace

void timer_create_cancel(volt::Runtime& runtime, Figures& figures) {
  const double ns = median_of_rounds(kRounds, [&] { return runtime.block_on(create_and_cancel, kTimers); });
  figures.add("timer_create_cancel", ns / kTimers);
}

void timer_fire(volt::Runtime& runtime, Figures& figures) {
  Firing firing;
  const auto cpu_ns = static_cast<double>(runtime.block_on(fire_all, Kept<Firing>{&firing}, kTimers));
  figures.add("timer_fire", cpu_ns / kTimers);
  figures.add_latencies("timer_lateness", firing.lateness_ns);
}

}  // namespace rows
