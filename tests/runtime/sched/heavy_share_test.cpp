// SPDX-License-Identifier: MIT

// The share of the processors that heavy tasks get. It is measured in processor time, so that other processes on the
// machine do not matter. The bound on the wait of a heavy request at saturation is tested on virtual time, where it is
// exact (tests/simulation).
#include <doctest/doctest.h>
#include <time.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "runtime/borrowed.h"
#include "runtime/channel.h"
#include "runtime/runtime.h"
#include "runtime/sched/thread_state.h"
#include "runtime/spawn.h"
#include "runtime/work_class.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kHeavyTurn = 3ms;
constexpr int kHeavyTasks = 6;
constexpr std::chrono::nanoseconds kLightTurn = 500us;
constexpr int kLightTasks = 8;

std::int64_t time_ns(clockid_t clock) noexcept {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

// The processor time that the turns of some kind of task have used.
class UsedTime {
 public:
  // Uses a processor for `duration`, without the time for which the kernel gives it to other threads.
  void use(std::chrono::nanoseconds duration) noexcept {
    const std::int64_t began_ns = time_ns(CLOCK_THREAD_CPUTIME_ID);
    std::int64_t used_ns = 0;
    while (used_ns < duration.count()) used_ns = time_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
    ns_.fetch_add(used_ns, base::relaxed);  // relaxed: a sum
  }
  [[nodiscard]] std::int64_t ns() const noexcept { return ns_.load(base::relaxed); }  // relaxed: a sum

 private:
  base::Atomic<std::int64_t> ns_{0};
};

struct Load {
  base::Atomic<bool> ends{false};
  base::Atomic<int> heavy_ended{0};  // tasks of one heavy turn that have ended
  UsedTime heavy;
  UsedTime light;
};
using LoadRef = Borrowed<Load>;

// Heavy work without a pause. Each turn leads to a light one.
Task<> work_heavily(LoadRef load, WorkClass work_class, Sender<int> light_work) {
  while (!load.get().ends.load(base::relaxed)) {  // relaxed: only a flag
    if (begin_work(work_class)) co_await yield();
    load.get().heavy.use(kHeavyTurn);
    static_cast<void>(light_work.try_send(0));
    end_work();
    co_await yield();
  }
}

// Light work without a pause.
Task<> work_lightly(LoadRef load, WorkClass work_class) {
  static_cast<void>(begin_work(work_class));
  while (!load.get().ends.load(base::relaxed)) {  // relaxed: only a flag
    load.get().light.use(kLightTurn);
    co_await yield();
  }
}

// Light work that waits for heavy turns. So its amount depends on no clock.
Task<> work_on_demand(LoadRef load, WorkClass work_class, Receiver<int> light_work) {
  static_cast<void>(begin_work(work_class));
  while (co_await light_work.receive()) load.get().light.use(kLightTurn);
}

enum class LightWork : std::uint8_t { on_demand, always };

// Spawns the light tasks on one worker.
Task<> start_light_tasks(LoadRef load, LightWork kind, Receiver<int> light_work) {
  const WorkClass light = WorkClass::make(WorkClass::Weight::light);
  for (int i = 0; i != kLightTasks; ++i) {
    if (kind == LightWork::always) {
      spawn(work_lightly, load, light).detach();
    } else {
      spawn(work_on_demand, load, light, light_work).detach();
    }
  }
  co_return;
}

void start_tasks(Runtime& runtime, Load& load, LightWork kind) {
  auto [sender, receiver] = channel<int>(kHeavyTasks);
  const WorkClass heavy = WorkClass::make(WorkClass::Weight::heavy);
  for (int i = 0; i != kHeavyTasks; ++i) runtime.spawn(work_heavily, borrow(load), heavy, sender).detach();
  runtime.spawn(start_light_tasks, borrow(load), kind, receiver).detach();
}

// Returns the processor time that the workers and the spares have used. The time of the watchdog does not depend on the
// load but on the time by the clock, so its share would depend on what other processes leave to this one.
std::int64_t time_of_workers_ns() {
  std::int64_t sum_ns = time_ns(CLOCK_PROCESS_CPUTIME_ID) - time_ns(CLOCK_THREAD_CPUTIME_ID);
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    if (name == "volt-watchdog") sum_ns -= sched::processor_time_ns(std::stoi(thread.path().filename()));
  }
  return sum_ns;
}

// The processor times that were used while the load lasted, in milliseconds.
struct Shares {
  double heavy = 0;
  double light = 0;
  double workers = 0;
  std::uint64_t parks = 0;
};

std::ostream& operator<<(std::ostream& out, const Shares& shares) {
  return out << "heavy " << shares.heavy << " ms, light " << shares.light << " ms, workers " << shares.workers
             << " ms, " << shares.parks << " parks";
}

double in_ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

// Measures until the heavy tasks have used `measured` of processor time.
Shares shares_of(std::uint32_t spares_max, LightWork kind, std::chrono::nanoseconds measured) {
  RuntimeOptions options = test_options(2);
  options.spare_workers_max = spares_max;
  Load load;
  Runtime runtime(options);
  start_tasks(runtime, load, kind);
  REQUIRE(eventually([&] { return load.heavy.ns() >= (4 * kHeavyTurn).count() && load.light.ns() != 0; }, 60s));
  const std::int64_t heavy_ns = load.heavy.ns();
  const std::int64_t light_ns = load.light.ns();
  const std::uint64_t parks = runtime.metrics().total().parks;
  const std::int64_t workers_ns = time_of_workers_ns();
  CHECK(eventually([&] { return load.heavy.ns() - heavy_ns >= measured.count(); }, 60s));
  const Shares shares{.heavy = in_ms(load.heavy.ns() - heavy_ns),
                      .light = in_ms(load.light.ns() - light_ns),
                      .workers = in_ms(time_of_workers_ns() - workers_ns),
                      .parks = runtime.metrics().total().parks - parks};
  load.ends.store(true, base::relaxed);  // relaxed: only a flag
  REQUIRE(eventually([&] { return runtime.metrics().live_tasks == 0; }, 60s));
  MESSAGE(spares_max << " spares: " << shares);
  return shares;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/heavy_share");

// A sanitizer makes the scheduler itself several times as slow, but not the tasks, whose processor time is fixed.
TEST_CASE("heavy tasks get at least 90 % of the processor time that light ones leave, and no worker sleeps") {
  const double least = test::kSanitized ? 0.75 : 0.9;
  for (const std::uint32_t spares : {0U, 4U}) {
    const Shares shares = shares_of(spares, LightWork::on_demand, 400ms);
    CHECK(shares.light > 0);
    CHECK(shares.heavy >= least * (shares.workers - shares.light));
    if (spares == 0) CHECK(shares.parks == 0);  // spares sleep between two light tasks
  }
}

// The scheduler measures turns by the clock, and on a busy machine the kernel interrupts heavy turns, which are longer,
// more often: so the shares of the processor time are not exact, and the best of three measurements counts.
TEST_CASE("light tasks that want all processors get most of them, and heavy ones at least a fifth") {
  Shares shares = shares_of(0, LightWork::always, 150ms);
  const auto heavy_part = [&shares] { return shares.heavy / (shares.heavy + shares.light); };
  for (int more = 2; more != 0 && heavy_part() < 0.15; --more) shares = shares_of(0, LightWork::always, 150ms);
  CHECK(heavy_part() >= 0.15);
  CHECK(heavy_part() <= 0.35);
  CHECK(shares.parks == 0);
}

// One heavy turn.
Task<> work_heavily_once(LoadRef load, WorkClass work_class) {
  if (begin_work(work_class)) co_await yield();
  load.get().heavy.use(700ms);
  load.get().heavy_ended.fetch_add(1, base::relaxed);  // relaxed: a sum
  end_work();
}

// Each worker runs three heavy tasks, the first one at once, and light ones in between.
TEST_CASE("however long a heavy turn was, light tasks run for about a second before the next one") {
  RuntimeOptions options = test_options(2);
  options.spare_workers_max = 0;
  Load load;
  Runtime runtime(options);
  runtime.spawn(start_light_tasks, borrow(load), LightWork::always, channel<int>(1).second).detach();
  REQUIRE(eventually([&] { return load.light.ns() != 0; }, 60s));
  const WorkClass heavy = WorkClass::make(WorkClass::Weight::heavy);
  for (int i = 0; i != kHeavyTasks; ++i) runtime.spawn(work_heavily_once, borrow(load), heavy).detach();
  REQUIRE(eventually([&] { return load.heavy_ended.load(base::relaxed) == kHeavyTasks; }, 60s));  // relaxed: a sum
  load.ends.store(true, base::relaxed);  // relaxed: only a flag
  REQUIRE(eventually([&] { return runtime.metrics().live_tasks == 0; }, 60s));
  const double light_ms = in_ms(load.light.ns());
  CHECK(light_ms > 100);
  // About 2 x 2 x 1 s. Without the maximum, 2 x 2 x 4 x 0.7 s, or half of that if the first turns do not count.
  CHECK(light_ms < 5'000);
}

TEST_SUITE_END();

}  // namespace volt
