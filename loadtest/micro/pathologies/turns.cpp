// SPDX-License-Identifier: MIT

// A task takes more than its turn: how long do the others wait?
#include <vector>

#include "loadtest/micro/pathologies/pathologies.h"
#include "loadtest/micro/rows/figures.h"
#include "runtime/borrowed.h"
#include "runtime/notify.h"
#include "runtime/scope.h"
#include "runtime/task.h"
#include "runtime/time.h"

namespace pathologies {
namespace {

using namespace std::chrono_literals;
using rows::percentile;
using volt::Scope;
using volt::Task;
using volt::sched::now_ns;

// The state that the tasks of one load share.
struct Stage {
  volt::base::Atomic<bool> ended{false};
  volt::Notify ping;
  volt::Notify pong;
  std::size_t greedy_turns = 0;
  std::size_t other_turns = 0;
  std::vector<double> waits_ns;

  [[nodiscard]] bool over() const { return ended.load(volt::base::relaxed); }  // relaxed: a flag
  void end() { ended.store(true, volt::base::relaxed); }                       // relaxed: a flag
};
using StageRef = volt::Borrowed<Stage>;
using NotifyRef = volt::Borrowed<volt::Notify>;
using WaitsRef = volt::Borrowed<std::vector<double>>;

Outcome outcome_of(const std::vector<double>& waits_ns, const char* what) {
  return {{std::string(what) + ", p50 us", percentile(waits_ns, 0.50) / 1e3},
          {"p99 us", percentile(waits_ns, 0.99) / 1e3}};
}

// Yields `turns` times, and records how long each yield takes.
Task<> yield_and_note(Stage& stage, std::size_t turns) {
  for (std::size_t i = 0; i != turns; ++i) {
    const std::int64_t began_ns = now_ns();
    co_await volt::yield();
    stage.waits_ns.push_back(static_cast<double>(now_ns() - began_ns));
  }
  stage.end();
}

Task<> compute(StageRef stage) {
  constexpr auto kSlow = 20ms;
  constexpr auto kBetween = 10ms;
  while (!stage.get().over()) {
    burn(kSlow);
    co_await volt::sleep_for(kBetween);
  }
}

Task<> nap(WaitsRef lateness_ns, std::size_t times) {
  for (std::size_t i = 0; i != times; ++i) {
    const std::int64_t began_ns = now_ns();
    co_await volt::sleep_for(1ms);
    lateness_ns.get().push_back(static_cast<double>(now_ns() - began_ns) - 1e6);
  }
}

Task<> wake_each_other(StageRef stage, NotifyRef mine, NotifyRef theirs) {
  while (!stage.get().over()) {
    ++stage.get().greedy_turns;
    theirs.get().notify_one();
    co_await mine.get().notified();
  }
  theirs.get().notify_one();
}

Task<> yield_until_over(StageRef stage) {
  while (!stage.get().over()) {
    ++stage.get().other_turns;
    co_await volt::yield();
  }
}

Task<> never_wait(StageRef stage) {
  while (!stage.get().over()) {
    ++stage.get().greedy_turns;
    stage.get().ping.notify_one();
    co_await stage.get().ping.notified();
  }
}

}  // namespace

Outcome slow_poll(volt::Runtime& runtime, double scale) {
  constexpr std::size_t kSleepers = 50;
  const std::size_t times = scaled(400, scale);
  Stage stage;
  std::vector<std::vector<double>> lateness_ns(kSleepers);
  runtime.block_on([&]() -> Task<> {
    auto naps = [&](Scope& scope) -> Task<> {
      for (auto& mine : lateness_ns) scope.spawn(nap, volt::borrow(mine), times);
      co_return;
    };
    auto body = [&](Scope& scope) -> Task<> {
      scope.spawn(compute, volt::borrow(stage));
      co_await volt::with_scope(naps);
      stage.end();
    };
    co_await volt::with_scope(body);
  });
  std::vector<double> all_ns;
  for (const auto& mine : lateness_ns) all_ns.insert(all_ns.end(), mine.begin(), mine.end());
  Outcome outcome = outcome_of(all_ns, "lateness of a timer");
  outcome.push_back({"worst us", percentile(all_ns, 1.0) / 1e3});
  return outcome;
}

// The two tasks use only the LIFO slot, up to its limit of turns in a row.
Outcome lifo_pair(volt::Runtime& runtime, double scale) {
  constexpr int kOthers = 100;
  Stage stage;
  runtime.block_on([&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      for (int i = 0; i != kOthers; ++i) scope.spawn(yield_until_over, volt::borrow(stage));
      scope.spawn(wake_each_other, volt::borrow(stage), volt::borrow(stage.ping), volt::borrow(stage.pong));
      scope.spawn(wake_each_other, volt::borrow(stage), volt::borrow(stage.pong), volt::borrow(stage.ping));
      co_await yield_and_note(stage, scaled(20'000, scale));
    };
    co_await volt::with_scope(body);
  });
  Outcome outcome = outcome_of(stage.waits_ns, "wait for a turn");
  outcome.push_back({"turns of the pair per turn of the others",
                     static_cast<double>(stage.greedy_turns) / static_cast<double>(stage.other_turns)});
  return outcome;
}

Outcome always_ready(volt::Runtime& runtime, double scale) {
  Stage stage;
  runtime.block_on([&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      scope.spawn(never_wait, volt::borrow(stage));
      co_await yield_and_note(stage, scaled(100'000, scale));
    };
    co_await volt::with_scope(body);
  });
  Outcome outcome = outcome_of(stage.waits_ns, "wait for a turn");
  outcome.push_back({"operations of the first per turn of the second",
                     static_cast<double>(stage.greedy_turns) / static_cast<double>(stage.waits_ns.size())});
  return outcome;
}

}  // namespace pathologies
