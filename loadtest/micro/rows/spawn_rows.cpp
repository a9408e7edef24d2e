// SPDX-License-Identifier: MIT

// Rows of short tasks: the cost of spawning, joining, yielding and handing over.
//
// Edges
//   S1  each count_down() releases  ->  the last one acquires : all tasks are done with their work when it releases
//       `finished`
#include <semaphore>
#include <vector>

#include "loadtest/micro/rows/countdown.h"
#include "loadtest/micro/rows/rows.h"
#include "runtime/sched/clock.h"
#include "runtime/spawn.h"
#include "runtime/task.h"

namespace rows {
namespace {

constexpr int kRounds = 31;
constexpr std::size_t kTasks = 10'000;
constexpr std::size_t kYielders = 200;
constexpr std::size_t kYields = 1'000;
constexpr std::size_t kPairs = 1'000;
constexpr std::size_t kChain = 1'000;

using volt::Task;
using volt::sched::now_ns;

Task<> nothing() { co_return; }

Task<std::int64_t> spawn_and_join(std::size_t count) {
  std::vector<volt::JoinHandle<void>> handles;
  handles.reserve(count);
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != count; ++i) handles.push_back(volt::spawn(nothing));
  for (auto& handle : handles) co_await std::move(handle);
  co_return now_ns() - began_ns;
}

struct RemoteCountdown {
  volt::base::Atomic<std::size_t> left{0};
  std::binary_semaphore finished{0};
};

Task<> count_down(Borrowed<RemoteCountdown> countdown) {
  if (countdown->left.fetch_sub(1, volt::base::acq_rel) == 1) countdown->finished.release();  // S1
  co_return;
}

Task<> yield_often(std::size_t times) {
  for (std::size_t i = 0; i != times; ++i) co_await volt::yield();
}

Task<std::int64_t> yield_together(std::size_t tasks, std::size_t times) {
  std::vector<volt::JoinHandle<void>> handles;
  handles.reserve(tasks);
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != tasks; ++i) handles.push_back(volt::spawn(yield_often, times));
  for (auto& handle : handles) co_await std::move(handle);
  co_return now_ns() - began_ns;
}

Task<> pong(volt::OneshotReceiver<Done> called, volt::OneshotSender<Done> answer) {
  static_cast<void>(co_await called.receive());
  std::move(answer).send({});
}

Task<> ping(Borrowed<Countdown> countdown) {
  auto [ping_sender, ping_receiver] = volt::oneshot<Done>();
  auto [pong_sender, pong_receiver] = volt::oneshot<Done>();
  volt::spawn(pong, std::move(ping_receiver), std::move(pong_sender)).detach();
  std::move(ping_sender).send({});
  static_cast<void>(co_await pong_receiver.receive());
  countdown->count_down();
}

Task<std::int64_t> ping_pong_pairs(std::size_t pairs) {
  Countdown countdown;
  const std::int64_t began_ns = now_ns();
  volt::OneshotReceiver<Done> all_done = countdown.start(pairs);
  for (std::size_t i = 0; i != pairs; ++i) volt::spawn(ping, Borrowed<Countdown>{&countdown}).detach();
  static_cast<void>(co_await all_done.receive());
  co_return now_ns() - began_ns;
}

Task<> chain_link(Borrowed<Countdown> countdown, std::size_t left) {
  if (left == 0) {
    countdown->count_down();
  } else {
    volt::spawn(chain_link, countdown, left - 1).detach();
  }
  co_return;
}

Task<std::int64_t> chain(std::size_t length) {
  Countdown countdown;
  const std::int64_t began_ns = now_ns();
  volt::OneshotReceiver<Done> all_done = countdown.start(1);
  volt::spawn(chain_link, Borrowed<Countdown>{&countdown}, length).detach();
  static_cast<void>(co_await all_done.receive());
  co_return now_ns() - began_ns;
}

}  // namespace

void spawn_local_many(volt::Runtime& runtime, Figures& figures) {
  const double ns = median_of_rounds(kRounds, [&] { return runtime.block_on(spawn_and_join, kTasks); });
  figures.add("spawn_local_many", ns / kTasks);
}

void spawn_remote_many(volt::Runtime& runtime, Figures& figures) {
  RemoteCountdown countdown;
  const double ns = median_of_rounds(kRounds, [&] {
    countdown.left.store(kTasks, volt::base::relaxed);  // relaxed: the spawns that follow publish it
    const std::int64_t began_ns = now_ns();
    for (std::size_t i = 0; i != kTasks; ++i) runtime.spawn(count_down, Borrowed<RemoteCountdown>{&countdown}).detach();
    countdown.finished.acquire();
    return now_ns() - began_ns;
  });
  figures.add("spawn_remote_many", ns / kTasks);
}

void yield_many(volt::Runtime& runtime, Figures& figures) {
  const double ns = median_of_rounds(kRounds / 3, [&] { return runtime.block_on(yield_together, kYielders, kYields); });
  figures.add("yield_many", ns / (kYielders * kYields));
}

void ping_pong(volt::Runtime& runtime, Figures& figures) {
  const double ns = median_of_rounds(kRounds, [&] { return runtime.block_on(ping_pong_pairs, kPairs); });
  figures.add("ping_pong", ns / kPairs);
}

void chained_spawn(volt::Runtime& runtime, Figures& figures) {
  const double ns = median_of_rounds(kRounds, [&] { return runtime.block_on(chain, kChain); });
  figures.add("chained_spawn", ns / kChain);
}

}  // namespace rows
