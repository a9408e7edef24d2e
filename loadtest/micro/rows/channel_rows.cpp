// SPDX-License-Identifier: MIT

// Rows of channels between tasks; and rows of oneshot, broadcast and watch used by a single task, which measure only
// the cost of the primitive itself.
#include <array>

#include "loadtest/micro/rows/rows.h"
#include "loadtest/micro/rows/task_group.h"
#include "runtime/broadcast.h"
#include "runtime/channel.h"
#include "runtime/oneshot.h"
#include "runtime/sched/clock.h"
#include "runtime/watch.h"

namespace rows {
namespace {

using volt::Task;
using volt::sched::now_ns;

constexpr int kRounds = 31;
constexpr std::size_t kCapacity = 1'000;
constexpr std::size_t kMessages = 40'000;
constexpr std::size_t kRoundTrips = 5'000;
constexpr std::size_t kOneshots = 20'000;
constexpr std::size_t kSubscribers = 4;
constexpr std::size_t kBurst = 16;
constexpr std::size_t kBursts = 400;
constexpr std::size_t kChanges = 20'000;

Task<> produce(volt::Sender<std::size_t> sender, std::size_t count) {
  for (std::size_t i = 0; i != count; ++i) {
    const bool taken = co_await sender.send(std::size_t{i});
    if (!taken) co_return;
  }
}

Task<> consume(volt::Receiver<std::size_t> receiver) {
  for (;;) {
    const std::optional<std::size_t> value = co_await receiver.receive();
    if (!value) co_return;
  }
}

// Sends all messages from `producers` tasks to `consumers` tasks. Returns the elapsed time.
Task<std::int64_t> stream(std::size_t producers, std::size_t consumers) {
  TaskGroup tasks;
  const std::int64_t began_ns = now_ns();
  {
    auto [sender, receiver] = volt::channel<std::size_t>(kCapacity);
    for (std::size_t i = 0; i != consumers; ++i) tasks.spawn(consume, receiver);
    for (std::size_t i = 0; i != producers; ++i) tasks.spawn(produce, sender, kMessages / producers);
  }
  co_await tasks.join();
  co_return now_ns() - began_ns;
}

Task<> echo(volt::Receiver<std::size_t> receiver, volt::Sender<std::size_t> sender) {
  for (;;) {
    const std::optional<std::size_t> value = co_await receiver.receive();
    if (!value) co_return;
    static_cast<void>(co_await sender.send(std::size_t{*value}));
  }
}

Task<> call(volt::Sender<std::size_t> sender, volt::Receiver<std::size_t> receiver) {
  for (std::size_t i = 0; i != kRoundTrips; ++i) {
    static_cast<void>(co_await sender.send(std::size_t{i}));
    static_cast<void>(co_await receiver.receive());
  }
}

Task<std::int64_t> round_trips() {
  TaskGroup tasks;
  const std::int64_t began_ns = now_ns();
  {
    auto there = volt::channel<std::size_t>(1);
    auto back = volt::channel<std::size_t>(1);
    tasks.spawn(echo, std::move(there.second), std::move(back.first));
    tasks.spawn(call, std::move(there.first), std::move(back.second));
  }
  co_await tasks.join();
  co_return now_ns() - began_ns;
}

Task<std::int64_t> oneshots() {
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != kOneshots; ++i) {
    auto [sender, receiver] = volt::oneshot<std::size_t>();
    std::move(sender).send(i);
    static_cast<void>(co_await receiver.receive());
  }
  co_return now_ns() - began_ns;
}

Task<std::int64_t> broadcasts() {
  const volt::Broadcaster<std::size_t> broadcaster(4 * kBurst);
  std::array subscribers{broadcaster.subscribe(), broadcaster.subscribe(), broadcaster.subscribe(),
                         broadcaster.subscribe()};
  static_assert(subscribers.size() == kSubscribers);
  const std::int64_t began_ns = now_ns();
  for (std::size_t burst = 0; burst != kBursts; ++burst) {
    for (std::size_t i = 0; i != kBurst; ++i) broadcaster.send(i);
    for (auto& subscriber : subscribers) {
      for (std::size_t i = 0; i != kBurst; ++i) static_cast<void>(co_await subscriber.receive());
    }
  }
  co_return now_ns() - began_ns;
}

Task<std::int64_t> changes() {
  auto [sender, receiver] = volt::watch<std::size_t>(0);
  const std::int64_t began_ns = now_ns();
  for (std::size_t i = 0; i != kChanges; ++i) {
    sender.send(i);
    static_cast<void>(co_await receiver.changed());
    if (*receiver.borrow() != i) co_return 0;
  }
  co_return now_ns() - began_ns;
}

}  // namespace

void mpsc_1p1c(volt::Runtime& runtime, Figures& figures) {
  figures.add("mpsc_1p1c", median_of_rounds(kRounds, [&] { return runtime.block_on(stream, 1u, 1u); }) / kMessages);
}
void mpsc_4p1c(volt::Runtime& runtime, Figures& figures) {
  figures.add("mpsc_4p1c", median_of_rounds(kRounds, [&] { return runtime.block_on(stream, 4u, 1u); }) / kMessages);
}
void mpmc_4p4c(volt::Runtime& runtime, Figures& figures) {
  figures.add("mpmc_4p4c", median_of_rounds(kRounds, [&] { return runtime.block_on(stream, 4u, 4u); }) / kMessages);
}
void round_trip(volt::Runtime& runtime, Figures& figures) {
  figures.add("round_trip", median_of_rounds(kRounds, [&] { return runtime.block_on(round_trips); }) / kRoundTrips);
}
void oneshot_value(volt::Runtime& runtime, Figures& figures) {
  figures.add("oneshot", median_of_rounds(kRounds, [&] { return runtime.block_on(oneshots); }) / kOneshots);
}
void broadcast(volt::Runtime& runtime, Figures& figures) {
  constexpr std::size_t kDeliveries = kBursts * kBurst * kSubscribers;
  figures.add("broadcast", median_of_rounds(kRounds, [&] { return runtime.block_on(broadcasts); }) / kDeliveries);
}
void watch(volt::Runtime& runtime, Figures& figures) {
  figures.add("watch", median_of_rounds(kRounds, [&] { return runtime.block_on(changes); }) / kChanges);
}

}  // namespace rows
