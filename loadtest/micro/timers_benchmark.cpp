// SPDX-License-Identifier: MIT

// runtime/sched/timer_wheel.h and runtime/sched/timers.h: deadlines set, moved, cancelled and fired.
#include "runtime/sched/timers.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "runtime/sched/clock.h"
#include "runtime/sched/timer_wheel.h"

namespace {

using volt::sched::TimerNode;
using volt::sched::Timers;
using volt::sched::TimerWheel;

constexpr std::int64_t kSecondNs = 1'000'000'000;

class IdleTimer final : public volt::sched::Timer {
 public:
  volt::io::Completion* fire() noexcept override { return nullptr; }
};

// Measured beside the given number of other timers, spread over the next minute.
void wheel_insert_and_remove(benchmark::State& state) {
  const auto others = static_cast<std::size_t>(state.range(0));
  TimerWheel wheel(0);
  std::vector<std::unique_ptr<TimerNode>> nodes;
  for (std::size_t i = 0; i != others; ++i) {
    nodes.push_back(std::make_unique<TimerNode>());
    nodes.back()->deadline_ns = static_cast<std::int64_t>(i + 1) * 60 * kSecondNs / static_cast<std::int64_t>(others);
    wheel.insert(*nodes.back());
  }
  TimerNode node;
  node.deadline_ns = 10 * kSecondNs;
  for (auto _ : state) {
    wheel.insert(node);
    benchmark::DoNotOptimize(wheel.next_wake_ns());
    benchmark::DoNotOptimize(wheel.remove(node));
  }
  for (auto& other : nodes) wheel.remove(*other);
}
BENCHMARK(wheel_insert_and_remove)->Arg(0)->Arg(10'000)->Arg(1'000'000);

constexpr std::int64_t kStepNs = 1 << 16;  // not the wheel's tick, so that results can be compared if that changes

// Fires the timers of a second, advancing by kStepNs at a time. Per timer.
void wheel_advance(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<std::unique_ptr<TimerNode>> nodes;
  for (std::size_t i = 0; i != count; ++i) nodes.push_back(std::make_unique<TimerNode>());
  for (auto _ : state) {
    TimerWheel wheel(0);
    for (std::size_t i = 0; i != count; ++i) {
      nodes[i]->deadline_ns = static_cast<std::int64_t>(i + 1) * kSecondNs / static_cast<std::int64_t>(count);
      wheel.insert(*nodes[i]);
    }
    volt::base::List<TimerNode> expired;
    for (std::int64_t now_ns = 0; !wheel.empty(); now_ns += kStepNs) {
      wheel.advance(now_ns, expired);
      while (expired.pop_front() != nullptr) continue;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK(wheel_advance)->Arg(100)->Arg(10'000);

void timers_add_and_remove(benchmark::State& state) {
  Timers timers(volt::sched::now_ns());
  IdleTimer timer;
  const std::int64_t deadline_ns = volt::sched::now_ns() + 30 * kSecondNs;
  for (auto _ : state) {
    timers.add(timer, deadline_ns);
    benchmark::DoNotOptimize(Timers::remove(timer));
  }
}
BENCHMARK(timers_add_and_remove);

// The changes of a connection's deadline during one request.
void timers_move_later(benchmark::State& state) {
  Timers timers(volt::sched::now_ns());
  IdleTimer timer;
  std::int64_t deadline_ns = volt::sched::now_ns() + 30 * kSecondNs;
  timers.add(timer, deadline_ns);
  for (auto _ : state) timers.move(timer, ++deadline_ns);
  Timers::remove(timer);
}
BENCHMARK(timers_move_later);

void timers_fire_due_nothing_due(benchmark::State& state) {
  Timers timers(volt::sched::now_ns());
  IdleTimer timer;
  const std::int64_t now_ns = volt::sched::now_ns();
  timers.add(timer, now_ns + 30 * kSecondNs);
  volt::base::Chain<volt::io::Completion> woken;
  for (auto _ : state) benchmark::DoNotOptimize(timers.fire_due(now_ns, woken));
  Timers::remove(timer);
}
BENCHMARK(timers_fire_due_nothing_due);

void clock_read(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(volt::sched::now_ns());
}
BENCHMARK(clock_read);

}  // namespace
