// SPDX-License-Identifier: MIT

// Work that begins on one worker and should be done by all: is it shared, and at what cost?
#include <utility>
#include <vector>

#include "loadtest/micro/pathologies/pathologies.h"
#include "loadtest/micro/rows/countdown.h"
#include "loadtest/micro/rows/task_group.h"
#include "runtime/mutex.h"
#include "runtime/spawn.h"
#include "runtime/task.h"

namespace pathologies {
namespace {

using namespace std::chrono_literals;
using rows::Borrowed;
using rows::Countdown;
using rows::Done;
using volt::Task;
using volt::sched::now_ns;
using KeptCountdown = Borrowed<Countdown>;

// Returns, for `count` pieces of duration `each` that were done since `began_ns`, the number of processors at work and
// the time per piece.
Outcome sharing(std::size_t count, std::chrono::nanoseconds each, std::int64_t began_ns) {
  const auto took_ns = static_cast<double>(now_ns() - began_ns);
  const auto pieces = static_cast<double>(count);
  return {{"processors at work", pieces * static_cast<double>(each.count()) / took_ns},
          {"ns per task", took_ns / pieces}};
}

Task<> work(KeptCountdown done, std::chrono::nanoseconds each) {
  burn(each);
  done->count_down();
  co_return;
}

Task<> work_when_told(KeptCountdown done, volt::OneshotReceiver<Done> told, std::chrono::nanoseconds each) {
  static_cast<void>(co_await told.receive());
  burn(each);
  done->count_down();
}

Task<> spawn_and_wake(Borrowed<Outcome> outcome, std::size_t rounds) {
  constexpr std::size_t kTasks = 200;
  constexpr auto kEach = 10us;
  Countdown countdown;
  const std::int64_t began_ns = now_ns();
  for (std::size_t round = 0; round != rounds; ++round) {
    auto all_done = countdown.start(kTasks);
    std::vector<volt::OneshotSender<Done>> senders;
    for (std::size_t i = 0; i != kTasks; ++i) {
      auto [sender, receiver] = volt::oneshot<Done>();
      senders.push_back(std::move(sender));
      volt::spawn(work_when_told, KeptCountdown{&countdown}, std::move(receiver), kEach).detach();
    }
    co_await volt::yield();  // after this, most tasks wait
    for (auto& sender : senders) std::move(sender).send({});
    static_cast<void>(co_await all_done.receive());
  }
  *outcome.object = sharing(rounds * kTasks, kEach, began_ns);
}

Task<> produce(Borrowed<Outcome> outcome, std::size_t count) {
  constexpr auto kEach = 3us;
  Countdown countdown;
  auto all_done = countdown.start(count);
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != count; ++i) volt::spawn(work, KeptCountdown{&countdown}, kEach).detach();
  const auto spawning_ns = static_cast<double>(now_ns() - began_ns);
  static_cast<void>(co_await all_done.receive());
  *outcome.object = sharing(count, kEach, began_ns);
  outcome->push_back({"ns a spawn", spawning_ns / static_cast<double>(count)});
}

Task<> produce_in_batches(Borrowed<Outcome> outcome, std::size_t batches) {
  constexpr std::size_t kBatch = 10'000;
  constexpr auto kEach = 1us;
  Countdown countdown;
  const std::int64_t began_ns = now_ns();
  for (std::size_t batch = 0; batch != batches; ++batch) {
    auto all_done = countdown.start(kBatch);
    for (std::size_t i = 0; i != kBatch; ++i) volt::spawn(work, KeptCountdown{&countdown}, kEach).detach();
    static_cast<void>(co_await all_done.receive());
  }
  *outcome.object = sharing(batches * kBatch, kEach, began_ns);
}

struct Locked {
  volt::Mutex mutex;
  Countdown countdown;
};

Task<> work_under_lock(Borrowed<Locked> locked, std::size_t turns, std::chrono::nanoseconds each) {
  for (std::size_t i = 0; i != turns; ++i) {
    const volt::Mutex::Guard guard = co_await locked->mutex.lock();
    burn(each);
  }
  locked->countdown.count_down();
}

Task<> take_turns(Borrowed<Outcome> outcome, std::size_t turns) {
  constexpr std::size_t kTasks = 64;
  constexpr auto kEach = 2us;
  Locked locked;
  auto all_done = locked.countdown.start(kTasks);
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != kTasks; ++i) {
    volt::spawn(work_under_lock, Borrowed<Locked>{&locked}, turns, kEach).detach();
  }
  static_cast<void>(co_await all_done.receive());
  *outcome.object = sharing(kTasks * turns, kEach, began_ns);
}

Task<> work_in_turns(KeptCountdown done, std::size_t turns, std::chrono::nanoseconds each) {
  for (std::size_t i = 0; i != turns; ++i) {
    burn(each);
    co_await volt::yield();
  }
  done->count_down();
}

Task<> pin_half(Borrowed<Outcome> outcome, std::size_t turns) {
  constexpr std::size_t kTasks = 16;
  constexpr auto kEach = 20us;
  Countdown free;
  Countdown pinned;
  auto free_done = free.start(kTasks);
  auto pinned_done = pinned.start(kTasks);
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != kTasks; ++i) {
    volt::spawn_local_on(0, work_in_turns, KeptCountdown{&pinned}, turns, kEach).detach();
    volt::spawn_on(0, work_in_turns, KeptCountdown{&free}, turns, kEach).detach();
  }
  static_cast<void>(co_await free_done.receive());
  const auto free_ns = static_cast<double>(now_ns() - began_ns);
  static_cast<void>(co_await pinned_done.receive());
  *outcome.object = sharing(2 * kTasks * turns, kEach, began_ns);
  outcome->push_back({"tasks that are not pinned done after ms", free_ns / 1e6});
  outcome->push_back({"pinned tasks done after ms", static_cast<double>(now_ns() - began_ns) / 1e6});
}

// One task at a time spawns slightly more work than its worker can do alone.
Task<> fan_out(KeptCountdown done, std::size_t links) {
  constexpr int kLeaves = 4;
  constexpr auto kEach = 3us;
  for (int i = 0; i != kLeaves; ++i) volt::spawn(work, done, kEach).detach();
  burn(kEach);
  if (links != 1) volt::spawn(fan_out, done, links - 1).detach();
  done->count_down();
  co_return;
}

Task<> chain(Borrowed<Outcome> outcome, std::size_t links) {
  constexpr std::size_t kTasksALink = 5;
  Countdown countdown;
  auto all_done = countdown.start(kTasksALink * links);
  const std::int64_t began_ns = now_ns();
  volt::spawn(fan_out, KeptCountdown{&countdown}, links).detach();
  static_cast<void>(co_await all_done.receive());
  *outcome.object = sharing(kTasksALink * links, 3us, began_ns);
}

// Runs `shape` as a task that is pinned to worker 0, and returns its outcome.
template <class Shape>
Outcome measured(volt::Runtime& runtime, Shape shape, std::size_t count) {
  Outcome outcome;
  const auto join = [](volt::JoinHandle<void> task) -> Task<> { co_await std::move(task); };
  runtime.block_on(join, runtime.spawn_local_on(0, shape, Borrowed<Outcome>{&outcome}, count));
  return outcome;
}

}  // namespace

Outcome one_source(volt::Runtime& runtime, double scale) {
  return measured(runtime, spawn_and_wake, scaled(500, scale));
}
Outcome fast_producer(volt::Runtime& runtime, double scale) {
  return measured(runtime, produce, scaled(400'000, scale));
}
Outcome tiny_tasks(volt::Runtime& runtime, double scale) {
  return measured(runtime, produce_in_batches, scaled(100, scale));
}
Outcome one_lock(volt::Runtime& runtime, double scale) { return measured(runtime, take_turns, scaled(4'000, scale)); }
Outcome pinned(volt::Runtime& runtime, double scale) { return measured(runtime, pin_half, scaled(2'000, scale)); }
Outcome one_victim(volt::Runtime& runtime, double scale) { return measured(runtime, chain, scaled(40'000, scale)); }

}  // namespace pathologies
