// SPDX-License-Identifier: MIT

// Rows of a single wake-up from a thread that is not a worker, in two states of the machine, which differ in latency:
//   oneshot_wake  the waking thread is busy; its processor is awake, the processor of the parked worker has halted
//   idle_to_run   all threads have slept for 2 ms
//
// Edges
//   M1  a task stores the moment at which it ran  ->  the waiting thread reads it : the task no longer uses the moment,
//       which is in the frame of that thread
#include <time.h>

#include <vector>

#include "loadtest/micro/rows/countdown.h"
#include "loadtest/micro/rows/rows.h"
#include "runtime/sched/clock.h"
#include "runtime/spawn.h"
#include "runtime/task.h"

namespace rows {
namespace {

using volt::Task;
using volt::sched::now_ns;

constexpr int kWakes = 1'000;
constexpr std::int64_t kUntilParkedNs = 300'000;
constexpr int kIdleSpawns = 400;
constexpr timespec kIdle{.tv_sec = 0, .tv_nsec = 2'000'000};

// The time at which the task ran, in ns; 0 before. Release and acquire: what the task did happens before the row ends.
using Moment = volt::base::Atomic<std::int64_t>;

void spin_until(std::int64_t until_ns) {
  while (now_ns() < until_ns) volt::base::spin_pause();
}

std::int64_t wait_for(const Moment& moment) {
  for (;;) {
    if (const std::int64_t ns = moment.load(volt::base::acquire); ns != 0) return ns;  // M1
    volt::base::spin_pause();
  }
}

Task<> note_when_woken(volt::OneshotReceiver<Done> receiver, Borrowed<Moment> woken) {
  static_cast<void>(co_await receiver.receive());
  woken->store(now_ns(), volt::base::release);  // M1
}

Task<> note_when_run(Borrowed<Moment> ran) {
  ran->store(now_ns(), volt::base::release);  // M1
  co_return;
}

}  // namespace

void oneshot_wake(volt::Runtime& runtime, Figures& figures) {
  std::vector<double> latencies_ns;
  for (int i = 0; i != kWakes; ++i) {
    Moment woken{0};
    auto [sender, receiver] = volt::oneshot<Done>();
    volt::JoinHandle<void> handle = runtime.spawn(note_when_woken, std::move(receiver), Borrowed<Moment>{&woken});
    spin_until(now_ns() + kUntilParkedNs);
    const std::int64_t sent_ns = now_ns();
    std::move(sender).send({});
    latencies_ns.push_back(static_cast<double>(wait_for(woken) - sent_ns));
  }
  figures.add_latencies("oneshot_wake", latencies_ns);
}

void idle_to_run(volt::Runtime& runtime, Figures& figures) {
  std::vector<double> latencies_ns;
  for (int i = 0; i != kIdleSpawns; ++i) {
    Moment ran{0};
    ::nanosleep(&kIdle, nullptr);
    const std::int64_t spawned_ns = now_ns();
    runtime.spawn(note_when_run, Borrowed<Moment>{&ran}).detach();
    ::nanosleep(&kIdle, nullptr);
    latencies_ns.push_back(static_cast<double>(wait_for(ran) - spawned_ns));
  }
  figures.add_latencies("idle_to_run", latencies_ns);
}

}  // namespace rows
