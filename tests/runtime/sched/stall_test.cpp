// SPDX-License-Identifier: MIT

// Ground truth: what is reported of tasks that compute, block, wait, or are not given a processor.
#include "runtime/sched/stall.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/cancel_token.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/processor_time.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

constexpr auto kLong = 400ms;

// The stalls that a runtime reports of one task, the time without a processor included.
class Reports {
 public:
  explicit Reports(Runtime& runtime) : runtime_(runtime) {
    runtime_.on_stall([this](const Stall& stall) {
      const std::scoped_lock lock(mutex_);
      stalls_.push_back(stall);
    });
  }
  ~Reports() { runtime_.on_stall(nullptr); }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  [[nodiscard]] std::vector<Stall> of(TaskId task) {
    const std::scoped_lock lock(mutex_);
    std::vector<Stall> stalls = stalls_;
    std::erase_if(stalls, [=](const Stall& stall) { return stall.task != task; });
    return stalls;
  }
  [[nodiscard]] bool has_end_of(TaskId task) {
    const std::vector<Stall> stalls = of(task);
    return !stalls.empty() && stalls.back().ended;
  }

 private:
  Runtime& runtime_;
  std::mutex mutex_;
  std::vector<Stall> stalls_;
};

double ratio(auto part, auto whole) {
  return std::chrono::duration<double>(part) / std::chrono::duration<double>(whole);
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/stall");

TEST_CASE("a task that computes is reported with its processor time") {
  Runtime runtime(test_options());
  Reports reports(runtime);
  const TaskId task = runtime.block_on([]() -> Task<TaskId> {
    test::compute(kLong);
    co_return this_task_id();
  });
  REQUIRE(eventually([&] { return reports.has_end_of(task); }));
  const Stall stall = reports.of(task).back();
  CHECK(stall.cause == StallCause::computing);
  // The watchdog sees the turn up to 10 ms late, or later if it is not given a processor itself.
  CHECK(ratio(stall.processor_time, kLong) > 0.6);
  CHECK(ratio(stall.processor_time, kLong) < 1.05);
  CHECK(stall.lasted >= std::chrono::floor<std::chrono::milliseconds>(stall.processor_time));
  CHECK(runtime.metrics().total().stalls >= 1);
  CHECK(runtime.metrics().total().processor_time_ns >= 1e6 * kLong.count());
}

TEST_CASE("a task that blocks in the kernel is reported as blocked, nearly without processor time") {
  Runtime runtime(test_options());
  Reports reports(runtime);
  const TaskId task = runtime.block_on([]() -> Task<TaskId> {
    std::this_thread::sleep_for(kLong);
    co_return this_task_id();
  });
  REQUIRE(eventually([&] { return reports.has_end_of(task); }));
  const Stall stall = reports.of(task).back();
  CHECK(stall.cause == StallCause::blocked);
  CHECK(ratio(stall.processor_time, kLong) < 0.1);
  CHECK(ratio(stall.charged(), kLong) > 0.6);
}

TEST_CASE("a task that awaits is never reported") {
  Runtime runtime(test_options());
  Reports reports(runtime);
  const TaskId task = runtime.block_on([]() -> Task<TaskId> {
    for (int i = 0; i != 10; ++i) co_await sleep_for(80ms);
    co_return this_task_id();
  });
  std::this_thread::sleep_for(50ms);
  std::vector<Stall> charged = reports.of(task);
  std::erase_if(charged, [](const Stall& stall) { return stall.cause == StallCause::no_processor; });
  CHECK(charged.empty());
}

// The worker gets the processor only when its neighbor, which computes without end, leaves it a moment.
TEST_CASE("a task whose worker is not given a processor is not charged, and the run delay is counted") {
  if (!std::filesystem::exists("/proc/self/schedstat")) return;
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &before)) ++processor;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);  // for the threads that this one starts as well
  base::Atomic<bool> done{false};
  std::thread neighbor([&] {
    while (!done.load(base::relaxed)) test::compute(1ms);  // relaxed: a flag
  });
  {
    Runtime runtime(test_options(1));
    REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
    Reports reports(runtime);
    const auto [task, computed] = runtime.block_on([]() -> Task<std::pair<TaskId, std::chrono::nanoseconds>> {
      const sched_param none{};
      ::sched_setscheduler(0, SCHED_IDLE, &none);
      const auto began = test::processor_time();
      for (int i = 0; i != 20; ++i) {  // the worker gets a three-hundredth of the processor
        test::compute(300us);
        co_await yield();
      }
      co_return std::pair(this_task_id(), test::processor_time() - began);
    });
    const WorkerMetrics worker = runtime.metrics().workers[0];
    CHECK(computed >= 6ms);
    CHECK(std::chrono::nanoseconds(worker.run_delay_ns) > 10 * computed);
    std::chrono::milliseconds charged{0};
    for (const Stall& stall : reports.of(task)) charged += stall.charged();
    CHECK(worker.stalls == 0);
    CHECK(charged == 0ms);
  }
  done.store(true, base::relaxed);  // relaxed: a flag
  neighbor.join();
}

}  // namespace volt
