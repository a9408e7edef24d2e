// SPDX-License-Identifier: MIT

// Rows of a million tasks that wait, each for its own oneshot or all for one Notify: memory per task, and the cost of
// spawning and waking it.
#include <chrono>
#include <string>
#include <vector>

#include "loadtest/micro/rows/countdown.h"
#include "loadtest/micro/rows/rows.h"
#include "runtime/notify.h"
#include "runtime/sched/clock.h"
#include "runtime/select.h"
#include "runtime/spawn.h"
#include "runtime/task.h"
#include "runtime/time.h"

namespace rows {
namespace {

using volt::Task;
using volt::sched::now_ns;

constexpr std::size_t kParked = 1'000'000;

struct Crowd {
  volt::Notify notify;
  volt::base::Atomic<std::size_t> started{0};
  Countdown woken;
};

struct Measured {
  double bytes = 0;
  std::int64_t spawn_ns = 0;
  std::int64_t wake_ns = 0;
};

Task<> park(Borrowed<Crowd> crowd, volt::OneshotReceiver<Done> receiver) {
  crowd->started.fetch_add(1, volt::base::relaxed);  // relaxed: a count
  static_cast<void>(co_await receiver.receive());
  crowd->woken.count_down();
}

Task<Measured> park_and_wake(std::size_t count) {
  Crowd crowd;
  Measured measured;
  std::vector<volt::OneshotSender<Done>> senders(count);
  volt::OneshotReceiver<Done> all_woken = crowd.woken.start(count);

  const double bytes_before = resident_bytes();
  const std::int64_t spawn_began_ns = now_ns();
  for (std::size_t i = 0; i != count; ++i) {
    auto [sender, receiver] = volt::oneshot<Done>();
    senders[i] = std::move(sender);
    volt::spawn(park, Borrowed<Crowd>{&crowd}, std::move(receiver)).detach();
  }
  while (crowd.started.load(volt::base::relaxed) != count) co_await volt::yield();  // relaxed: a count
  measured.spawn_ns = now_ns() - spawn_began_ns;
  measured.bytes = resident_bytes() - bytes_before;

  const std::int64_t wake_began_ns = now_ns();
  for (volt::OneshotSender<Done>& sender : senders) std::move(sender).send({});
  static_cast<void>(co_await all_woken.receive());
  measured.wake_ns = now_ns() - wake_began_ns;
  co_return measured;
}

Task<> park_together(Borrowed<Crowd> crowd) {
  crowd->started.fetch_add(1, volt::base::relaxed);  // relaxed: a count
  co_await crowd->notify.notified();
  crowd->woken.count_down();
}

Task<Measured> park_together_and_wake(std::size_t count) {
  Crowd crowd;
  Measured measured;
  volt::OneshotReceiver<Done> all_woken = crowd.woken.start(count);

  const double bytes_before = resident_bytes();
  const std::int64_t spawn_began_ns = now_ns();
  for (std::size_t i = 0; i != count; ++i) volt::spawn(park_together, Borrowed<Crowd>{&crowd}).detach();
  while (crowd.started.load(volt::base::relaxed) != count) co_await volt::yield();  // relaxed: a count
  measured.spawn_ns = now_ns() - spawn_began_ns;
  measured.bytes = resident_bytes() - bytes_before;

  const std::int64_t wake_began_ns = now_ns();
  for (bool woken = false; !woken;) {  // repeated for tasks that had started but did not wait yet
    crowd.notify.notify_all();
    auto told = all_woken.receive();
    auto patience = volt::sleep_for(std::chrono::seconds(1));
    const auto chosen = co_await volt::select(told, patience);
    woken = chosen.index() == 0;
  }
  measured.wake_ns = now_ns() - wake_began_ns;
  co_return measured;
}

void add(Figures& figures, const std::string& name, const Measured& measured) {
  if (!figures.has(name + "_bytes")) figures.add(name + "_bytes", measured.bytes / kParked);
  figures.add(name + "_spawn", static_cast<double>(measured.spawn_ns) / kParked);
  figures.add(name + "_wake", static_cast<double>(measured.wake_ns) / kParked);
}

}  // namespace

void parked(volt::Runtime& runtime, Figures& figures) {
  add(figures, "parked", runtime.block_on(park_and_wake, kParked));
}

void parked_notify(volt::Runtime& runtime, Figures& figures) {
  add(figures, "parked_notify", runtime.block_on(park_together_and_wake, kParked));
}

}  // namespace rows
