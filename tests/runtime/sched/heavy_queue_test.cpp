// SPDX-License-Identifier: MIT

#include "runtime/sched/heavy_queue.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/spawn.h"
#include "runtime/work_class.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

// Holds threads until it is opened.
struct Gate {
  base::Atomic<bool> open{false};
  base::Atomic<std::uint32_t> inside{0};

  void compute() {
    inside.fetch_add(1, base::seq_cst);
    while (!open.load(base::seq_cst)) base::spin_pause();
  }
  void sleep() {
    inside.fetch_add(1, base::seq_cst);
    while (!open.load(base::seq_cst)) std::this_thread::sleep_for(1ms);
  }
};
using GateRef = std::shared_ptr<Gate>;

void burn(std::chrono::nanoseconds duration) {
  const auto until = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < until) base::spin_pause();
}

RuntimeOptions options_with_spares(std::uint32_t workers, std::uint32_t spares_max) {
  RuntimeOptions options = test_options(workers);
  options.spare_workers_max = spares_max;
  return options;
}

// Waits for a task that only notes that it has run.
bool runs_light_task(Runtime& runtime) {
  const auto ran = std::make_shared<base::Atomic<bool>>(false);
  runtime
      .spawn(
          [](std::shared_ptr<base::Atomic<bool>> note) -> Task<> {
            note->store(true, base::seq_cst);
            co_return;
          },
          ran)
      .detach();
  return eventually([&] { return ran->load(base::seq_cst); });
}

// Spawns heavy tasks that stay in the gate.
void spawn_heavy(Runtime& runtime, const GateRef& gate, void (Gate::*how)(), int count) {
  const WorkClass heavy = WorkClass::make(WorkClass::Weight::heavy);
  const auto work = [](GateRef held, void (Gate::*in)(), WorkClass work_class) -> Task<> {
    if (begin_work(work_class)) co_await yield();
    (*held.*in)();
  };
  for (int i = 0; i != count; ++i) runtime.spawn(work, gate, how, heavy).detach();
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/heavy_queue");

TEST_CASE("permits are taken one by one, and replaced") {
  constexpr std::uint32_t kSpares = 4;
  sched::HeavyQueue queue;
  CHECK_FALSE(queue.take_permit(kSpares));
  queue.set_permits(2);
  CHECK(queue.take_permit(kSpares));
  CHECK(queue.take_permit(kSpares));
  CHECK_FALSE(queue.take_permit(kSpares));
  queue.set_permits(1);
  queue.set_permits(0);
  CHECK_FALSE(queue.take_permit(kSpares));
  CHECK(queue.oldest_since_ns() == sched::HeavyQueue::kEmpty);
}

TEST_CASE("one spare gets no permit, however often permits are granted") {
  sched::HeavyQueue queue;
  queue.set_permits(2);
  CHECK_FALSE(queue.take_permit(0));
  CHECK_FALSE(queue.take_permit(1));
  queue.set_permits(2);
  CHECK(queue.take_permit(3));
  queue.set_permits(2);
  CHECK(queue.take_permit(3));
  queue.set_permits(2);
  CHECK_FALSE(queue.take_permit(3));
  queue.give_permit_back();
  queue.set_permits(2);
  CHECK(queue.take_permit(3));
}

TEST_CASE("the longest of the last turns is remembered, and forgotten after a while") {
  sched::LongestTurn longest;
  CHECK(longest.ns() == 0);
  longest.note(2'000'000);
  CHECK(longest.ns() == 2'000'000);
  longest.note_running(1'000'000);
  CHECK(longest.ns() == 2'000'000);
  longest.note_running(900'000'000);  // has not ended yet
  CHECK(longest.ns() == 900'000'000);
  longest.note(2'000'000);
  CHECK(longest.ns() < 900'000'000);
  CHECK(longest.ns() > 800'000'000);
  for (int i = 0; i != 300; ++i) longest.note(2'000'000);
  CHECK(longest.ns() == 2'000'000);
}

TEST_CASE("work may have to wait for turns of its class and for computations, not for what is blocked") {
  const auto queue = std::make_unique<sched::HeavyQueue>();
  const WorkClass sleeps = WorkClass::make(WorkClass::Weight::learned);
  const WorkClass computes = WorkClass::make(WorkClass::Weight::learned);
  const WorkClass other = WorkClass::make(WorkClass::Weight::learned);
  queue->note({.work_class = sleeps, .lasted_ns = 900'000'000});
  CHECK(queue->longest_turn_ns(sleeps) == 900'000'000);
  CHECK(queue->longest_turn_ns(other) == 0);
  queue->note({.work_class = computes, .lasted_ns = 60'000'000, .computed_ns = 50'000'000});
  CHECK(queue->longest_turn_ns(sleeps) == 900'000'000);
  CHECK(queue->longest_turn_ns(computes) == 60'000'000);
  CHECK(queue->longest_turn_ns(other) == 50'000'000);
  queue->note_running({.work_class = computes, .lasted_ns = 80'000'000, .computed_ns = 80'000'000});
  CHECK(queue->longest_turn_ns(other) == 80'000'000);
}

TEST_CASE("light tasks run before heavy ones that came first") {
  Runtime runtime(test_options(2));
  const auto gate = std::make_shared<Gate>();
  runtime
      .spawn_on(
          1,
          [](GateRef held) -> Task<> {
            held->compute();
            co_return;
          },
          gate)
      .detach();
  REQUIRE(eventually([&] { return gate->inside.load(base::seq_cst) == 1; }));
  const auto order = std::make_shared<std::string>();  // only worker 0 runs the tasks
  const auto heavy = [](std::shared_ptr<std::string> ran, WorkClass work_class) -> Task<> {
    if (begin_work(work_class)) co_await yield();
    ran->push_back('h');
  };
  const auto light = [](std::shared_ptr<std::string> ran) -> Task<> {
    ran->push_back('l');
    co_return;
  };
  runtime.block_on([&]() -> Task<> {
    return [](auto first, auto second, std::shared_ptr<std::string> ran) -> Task<> {
      const WorkClass work_class = WorkClass::make(WorkClass::Weight::heavy);
      std::vector<JoinHandle<void>> tasks;
      for (int i = 0; i != 4; ++i) tasks.push_back(spawn(first, ran, work_class));
      for (int i = 0; i != 4; ++i) tasks.push_back(spawn(second, ran));
      for (JoinHandle<void>& task : tasks) co_await std::move(task);
    }(heavy, light, order);
  });
  gate->open.store(true, base::seq_cst);
  CHECK(*order == "llllhhhh");
  CHECK(runtime.metrics().total().from_heavy >= 3);
}

TEST_CASE("heavy tasks get their share while light tasks never end") {
  constexpr int kHeavy = 10;
  Runtime runtime(test_options(2));
  const auto gate = std::make_shared<Gate>();  // counts the heavy tasks that have ended
  const auto busy = [](GateRef until) -> Task<> {
    while (!until->open.load(base::seq_cst)) {
      burn(20us);
      co_await yield();
    }
  };
  std::vector<JoinHandle<void>> tasks;
  for (int i = 0; i != 8; ++i) tasks.push_back(runtime.spawn(busy, gate));
  const auto heavy = [](GateRef count, WorkClass work_class) -> Task<> {
    if (begin_work(work_class)) co_await yield();
    burn(2ms);
    count->inside.fetch_add(1, base::seq_cst);
  };
  const WorkClass work_class = WorkClass::make(WorkClass::Weight::heavy);
  for (int i = 0; i != kHeavy; ++i) tasks.push_back(runtime.spawn(heavy, gate, work_class));
  CHECK(eventually([&] { return gate->inside.load(base::seq_cst) == kHeavy; }));
  gate->open.store(true, base::seq_cst);
  for (JoinHandle<void>& task : tasks) runtime.block_on([&]() -> Task<> { co_await std::move(task); });
}

TEST_CASE("the scheduler learns which tasks compute or block for long") {
  for (const bool computes : {true, false}) {
    Runtime runtime(test_options(2));
    const auto work = [](bool burns) -> Task<> {
      if (burns) {
        burn(20ms);
      } else {
        std::this_thread::sleep_for(20ms);
      }
      co_return;
    };
    CHECK(eventually([&] {
      std::vector<JoinHandle<void>> tasks;
      for (int i = 0; i != 4; ++i) tasks.push_back(runtime.spawn(work, computes));
      for (JoinHandle<void>& task : tasks) runtime.block_on([&]() -> Task<> { co_await std::move(task); });
      return runtime.metrics().total().from_heavy != 0;
    }));
  }
}

TEST_CASE("blocked heavy tasks occupy all spares but one, which serves light tasks") {
  constexpr std::uint32_t kSpares = 4;
  for (const std::uint32_t workers : {1U, 2U}) {
    Runtime runtime(options_with_spares(workers, kSpares));
    const auto gate = std::make_shared<Gate>();
    spawn_heavy(runtime, gate, &Gate::sleep, 12);
    CHECK(eventually([&] { return gate->inside.load(base::seq_cst) >= workers + kSpares - 1; }));
    for (int i = 0; i != 10; ++i) CHECK(runs_light_task(runtime));
    CHECK(gate->inside.load(base::seq_cst) == workers + kSpares - 1);
    gate->open.store(true, base::seq_cst);
    CHECK(eventually([&] { return gate->inside.load(base::seq_cst) == 12; }));
  }
}

TEST_CASE("computing heavy tasks occupy the workers and no spare") {
  constexpr std::uint32_t kSpares = 4;
  constexpr std::int64_t kEndlessNs = 1'000'000'000;  // tasks that have computed for a second no longer count
  for (const std::uint32_t workers : {1U, 2U}) {
    Runtime runtime(options_with_spares(workers, kSpares));
    const auto gate = std::make_shared<Gate>();
    const std::int64_t began_ns = sched::now_ns();
    spawn_heavy(runtime, gate, &Gate::compute, 8);
    CHECK(eventually([&] { return gate->inside.load(base::seq_cst) >= workers; }));
    for (int i = 0; i != 20; ++i) CHECK(runs_light_task(runtime));
    const std::uint32_t inside = gate->inside.load(base::seq_cst);
    const bool busy_machine = sched::now_ns() - began_ns >= kEndlessNs;
    CHECK(inside <= (busy_machine ? workers + kSpares - 1 : workers));
    gate->open.store(true, base::seq_cst);
    CHECK(eventually([&] { return gate->inside.load(base::seq_cst) == 8; }));
  }
}

TEST_CASE("heavy tasks do not wait for computations that do not end") {
  for (const std::uint32_t workers : {1U, 2U}) {
    Runtime runtime(options_with_spares(workers, 4));
    const auto endless = std::make_shared<Gate>();
    spawn_heavy(runtime, endless, &Gate::compute, static_cast<int>(workers));
    CHECK(eventually([&] { return endless->inside.load(base::seq_cst) == workers; }));
    const auto others = std::make_shared<Gate>();
    others->open.store(true, base::seq_cst);
    spawn_heavy(runtime, others, &Gate::compute, 20);
    CHECK(eventually([&] { return others->inside.load(base::seq_cst) == 20; }));
    CHECK(endless->inside.load(base::seq_cst) == workers);
    CHECK(runs_light_task(runtime));
    endless->open.store(true, base::seq_cst);
  }
}

TEST_SUITE_END();

}  // namespace volt
