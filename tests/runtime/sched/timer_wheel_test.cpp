// SPDX-License-Identifier: MIT

#include "runtime/sched/timer_wheel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "runtime/sched/random.h"

namespace volt::sched {
namespace {

constexpr std::int64_t kTick = TimerWheel::kTickNs;
constexpr std::int64_t kStart = 1'000'000'007;  // between two ticks

std::int64_t deadline_of(const TimerNode& node) { return node.deadline_ns.load(base::relaxed); }  // relaxed: one thread
void set_deadline(TimerNode& node, std::int64_t at) {
  node.deadline_ns.store(at, base::relaxed);
}  // relaxed: one thread

// Returns the first tick that is not before `at`, in ns.
std::int64_t rounded_up(std::int64_t at, std::int64_t tick = kTick) { return (at + tick - 1) / tick * tick; }

std::vector<TimerNode*> advance(TimerWheel& wheel, std::int64_t now) {
  base::List<TimerNode> expired;
  wheel.advance(now, expired);
  std::vector<TimerNode*> nodes;
  while (TimerNode* node = expired.pop_front()) nodes.push_back(node);
  return nodes;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/timer_wheel");

TEST_CASE("a timer expires at its deadline rounded up to a tick, and next_wake_ns names that time") {
  bool manual = false;
  std::int64_t tick = kTick;
  SUBCASE("ticks of CLOCK_MONOTONIC") {}
  SUBCASE("ticks of a manual clock") {
    manual = true;
    tick = TimerWheel::kManualTickNs;
  }
  const std::int64_t range = tick << (TimerWheel::kSlotBits * TimerWheel::kLevels);
  struct Case {
    const char* why;
    std::int64_t after;
  };
  const Case cases[] = {
      {"less than a tick", 1},
      {"exactly on a tick", rounded_up(kStart, tick) - kStart},
      {"just past a tick", rounded_up(kStart, tick) - kStart + 1},
      {"within the first level", 40 * tick},
      {"second level: some milliseconds", 5'000'000},
      {"a second", 1'000'000'000},
      {"keep-alive", 75'000'000'000},
      {"a day", 86'400'000'000'000},
      {"nearly the whole wheel", range - range / 32},
      {"beyond the wheel", range + 12345},
      {"ten years", 315'360'000'000'000'000},
  };
  for (const auto& [why, after] : cases) {
    CAPTURE(why);
    TimerWheel wheel(kStart, manual);
    TimerNode node;
    set_deadline(node, kStart + after);
    wheel.insert(node);
    CHECK(wheel.size() == 1);
    const std::int64_t due = rounded_up(kStart + after, tick);
    const std::int64_t wakes_max =
        100 + 2 * (after / range);  // some for each level, and few for each turn of the wheel
    // Sleeps exactly until next_wake_ns each time: few wakes, none late, and the last at the due time.
    int wakes = 0;
    for (std::vector<TimerNode*> expired; expired.empty(); ++wakes) {
      REQUIRE(wakes < wakes_max);
      const auto wake = wheel.next_wake_ns();
      REQUIRE(wake.has_value());
      REQUIRE(*wake <= due);
      CHECK(advance(wheel, *wake - 1).empty());
      CHECK(wheel.next_wake_ns() == wake);  // there was no work before
      expired = advance(wheel, *wake);
      CHECK((*wake == due) == !expired.empty());
    }
    CHECK(wheel.empty());
    CHECK_FALSE(node.filed());
    CHECK(wheel.next_wake_ns() == std::nullopt);

    // One jump to the due time, and one far past it.
    for (const std::int64_t late : {std::int64_t{0}, tick, std::int64_t{3'600'000'000'000}}) {
      TimerWheel fresh(kStart, manual);
      fresh.insert(node);
      CHECK(advance(fresh, due - 1).empty());
      CHECK(advance(fresh, due + late).size() == 1);
    }
  }
}

TEST_CASE("a deadline already past expires at the next advance, even if the time does not move") {
  TimerWheel wheel(kStart);
  std::array<TimerNode, 3> nodes;
  set_deadline(nodes[0], 5);
  set_deadline(nodes[1], kStart - kTick);
  set_deadline(nodes[2], -1);
  for (TimerNode& node : nodes) wheel.insert(node);
  REQUIRE(wheel.next_wake_ns().has_value());
  CHECK(*wheel.next_wake_ns() <= kStart);
  CHECK(advance(wheel, kStart).size() == 3);
  CHECK(wheel.empty());
}

TEST_CASE("time does not go backwards") {
  TimerWheel wheel(kStart);
  TimerNode node;
  set_deadline(node, kStart + 10 * kTick);
  wheel.insert(node);
  CHECK(advance(wheel, 0).empty());
  CHECK(advance(wheel, std::numeric_limits<std::int64_t>::min()).empty());
  CHECK(advance(wheel, kStart + 11 * kTick).size() == 1);
}

TEST_CASE("a deadline moved later by a store is met when it is due") {
  TimerWheel wheel(kStart);
  TimerNode node;
  set_deadline(node, kStart + 10 * kTick);
  wheel.insert(node);
  for (int i = 2; i != 50; ++i) {
    set_deadline(node, kStart + i * 10 * kTick);
    CHECK(advance(wheel, kStart + (i - 1) * 10 * kTick + kTick).empty());
    CHECK(node.filed());
  }
  CHECK(advance(wheel, kStart + 490 * kTick + kTick).size() == 1);
}

TEST_CASE("a node at kNever is dropped when its slot comes up, and is not filed in the first place") {
  TimerWheel wheel(kStart);
  TimerNode node;
  wheel.insert(node);
  CHECK_FALSE(node.filed());
  CHECK(wheel.empty());

  set_deadline(node, kStart + kTick);
  wheel.insert(node);
  set_deadline(node, TimerNode::kNever);
  CHECK(node.filed());
  CHECK(advance(wheel, kStart + 2 * kTick).empty());
  CHECK_FALSE(node.filed());
  CHECK(wheel.empty());
}

TEST_CASE("a removed node leaves no trace, and removing again does nothing") {
  TimerWheel wheel(kStart);
  std::array<TimerNode, 3> nodes;
  set_deadline(nodes[0], kStart + 3 * kTick);
  set_deadline(nodes[1], kStart + 3 * kTick);
  set_deadline(nodes[2], 0);
  for (TimerNode& node : nodes) wheel.insert(node);
  CHECK(wheel.remove(nodes[2]));
  CHECK(wheel.remove(nodes[0]));
  CHECK_FALSE(wheel.remove(nodes[0]));
  CHECK(wheel.next_wake_ns() == rounded_up(kStart + 3 * kTick));  // the other node in that slot
  CHECK(wheel.remove(nodes[1]));
  CHECK(wheel.next_wake_ns() == std::nullopt);
  CHECK(wheel.empty());
  CHECK(advance(wheel, kStart + 10 * kTick).empty());
}

TEST_CASE("remove() does not remove a node that is in the list of expired nodes") {
  TimerWheel wheel(kStart);
  TimerNode node;
  set_deadline(node, 0);
  wheel.insert(node);
  base::List<TimerNode> expired;
  wheel.advance(kStart, expired);
  CHECK_FALSE(wheel.remove(node));
  CHECK(expired.pop_front() == &node);
}

namespace {

// Compares the wheel with a plain table of deadlines, under random operations.
class Comparison {
 public:
  Comparison(std::uint64_t seed, bool manual)
      : tick_(manual ? TimerWheel::kManualTickNs : kTick),
        random_(seed),
        now_(kStart + random_duration()),
        wheel_(now_, manual),
        nodes_(kNodes) {}
  ~Comparison() {
    for (TimerNode& node : nodes_) wheel_.remove(node);
  }

  void step() {
    TimerNode& node = nodes_[random_.below(kNodes)];
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        if (node.filed()) break;
        set_deadline(node, now_ + random_duration() - random_.below(2) * tick_);
        wheel_.insert(node);
        CHECK(node.filed());
        break;
      case 3: {
        const bool filed = node.filed();
        CHECK(wheel_.remove(node) == filed);
        break;
      }
      case 4:
        if (node.filed() && deadline_of(node) != TimerNode::kNever) {
          set_deadline(node, std::max(deadline_of(node), now_) + random_duration());
        }
        break;
      case 5:
        if (node.filed() && random_.below(4) == 0) set_deadline(node, TimerNode::kNever);
        break;
      case 6:
        advance_to(now_ + random_duration());
        break;
      case 7:
        if (const auto wake = wheel_.next_wake_ns()) advance_to(std::max(now_, *wake));
        break;
    }
    check_wake();
  }

 private:
  static constexpr std::uint32_t kNodes = 40;

  // Any order of magnitude from nanoseconds to months.
  std::int64_t random_duration() {
    const std::uint32_t bits = random_.below(54);
    const std::uint64_t raw = std::uint64_t{random_.next()} << 32 | random_.next();
    return static_cast<std::int64_t>(raw >> (63 - bits) >> 1);
  }

  void advance_to(std::int64_t now) {
    std::vector<TimerNode*> expected;
    for (TimerNode& node : nodes_) {
      if (node.filed() && deadline_of(node) != TimerNode::kNever && rounded_up(deadline_of(node), tick_) <= now) {
        expected.push_back(&node);
      }
    }
    std::vector<TimerNode*> expired = advance(wheel_, now);
    const auto tick = [&](TimerNode* node) {
      return std::max(rounded_up(deadline_of(*node), tick_), now_ / tick_ * tick_);
    };
    CHECK(std::is_sorted(expired.begin(), expired.end(), [&](auto* a, auto* b) { return tick(a) < tick(b); }));
    std::sort(expired.begin(), expired.end());
    std::sort(expected.begin(), expected.end());
    CHECK(expired == expected);
    now_ = now;
  }

  void check_wake() {
    std::size_t filed = 0;
    std::int64_t earliest = TimerNode::kNever;
    for (const TimerNode& node : nodes_) {
      if (!node.filed()) continue;
      ++filed;
      earliest = std::min(earliest, deadline_of(node));
    }
    CHECK(wheel_.size() == filed);
    const auto wake = wheel_.next_wake_ns();
    CHECK(wake.has_value() == (filed != 0));
    if (wake && earliest != TimerNode::kNever) CHECK(*wake <= std::max(rounded_up(earliest, tick_), now_));
  }

  const std::int64_t tick_;
  Random random_;
  std::int64_t now_;
  TimerWheel wheel_;
  std::vector<TimerNode> nodes_;
};

}  // namespace

TEST_CASE("the wheel agrees with a table of deadlines") {
  for (std::uint64_t seed = 1; seed != 60; ++seed) {
    CAPTURE(seed);
    Comparison comparison(seed, seed % 2 == 0);
    for (int i = 0; i != 1500; ++i) comparison.step();
  }
}

TEST_CASE("a deadline in the last tick that a time can name does not overflow") {
  for (const bool manual : {false, true}) {
    CAPTURE(manual);
    TimerWheel wheel(TimerNode::kNever - kTick / 2, manual);
    TimerNode node;
    set_deadline(node, TimerNode::kNever - 1);
    wheel.insert(node);
    const auto wake = wheel.next_wake_ns();
    REQUIRE(wake.has_value());
    CHECK(*wake >= TimerNode::kNever - kTick);
    CHECK(advance(wheel, TimerNode::kNever - 1).empty());
    wheel.remove(node);
  }
}

TEST_CASE("ten idle years with many timers are skipped at once") {
  TimerWheel wheel(kStart);
  std::vector<TimerNode> nodes(1000);
  Random random(5);
  for (TimerNode& node : nodes) {
    set_deadline(node, kStart + random.below(1'000'000'000) * std::int64_t{100'000});
    wheel.insert(node);
  }
  CHECK(advance(wheel, kStart + 315'360'000'000'000'000).size() == nodes.size());
  CHECK(wheel.empty());
}

TEST_SUITE_END();

}  // namespace volt::sched
