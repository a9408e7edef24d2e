// SPDX-License-Identifier: MIT

#include "runtime/sched/thread_state.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "runtime/base/atomic.h"
#include "tests/support/processor_time.h"
#include "tests/support/waiting.h"

namespace volt::sched {

using test::eventually;

TEST_SUITE_BEGIN("runtime/sched/thread_state");

TEST_CASE("a thread that sleeps is told from one that computes") {
  base::Atomic<pid_t> id{0};
  base::Atomic<bool> computes{false};
  base::Atomic<bool> done{false};
  std::thread thread([&] {
    id.store(::gettid(), base::seq_cst);
    static_cast<void>(eventually([&] { return computes.load(base::seq_cst); }));
    while (!done.load(base::seq_cst)) test::compute(std::chrono::microseconds(10));
  });
  REQUIRE(eventually([&] { return id.load(base::seq_cst) != 0; }));
  const pid_t other = id.load(base::seq_cst);
  SleepProbe sleep_probe;
  CHECK_FALSE(sleep_probe.sleeps());  // of no thread yet
  sleep_probe.open(other);
  CHECK(eventually([&] { return thread_waits(other).sleeps; }));
  CHECK(eventually([&] { return sleep_probe.sleeps(); }));
  computes.store(true, base::seq_cst);
  const std::int64_t before_ns = processor_time_ns(other);
  CHECK(eventually([&] { return !thread_waits(other).sleeps && processor_time_ns(other) > before_ns; }));
  CHECK(eventually([&] { return !sleep_probe.sleeps(); }));
  done.store(true, base::seq_cst);
  thread.join();
}

TEST_CASE("a thread that exists no longer has no times") {
  pid_t id = 0;
  std::thread([&] { id = ::gettid(); }).join();
  CHECK(eventually([&] { return processor_time_ns(id) == -1; }));  // the kernel may remove it a moment later
  CHECK(run_delay_ns(id) == -1);
  CHECK_FALSE(thread_waits(id).sleeps);
  SleepProbe sleep_probe;
  sleep_probe.open(id);
  CHECK_FALSE(sleep_probe.sleeps());
}

TEST_CASE("the run delay grows, where the kernel counts it") {
  if (!std::filesystem::exists("/proc/self/schedstat")) return;
  const std::int64_t before_ns = run_delay_ns(::gettid());
  CHECK(before_ns >= 0);
  test::compute(std::chrono::milliseconds(5));
  CHECK(run_delay_ns(::gettid()) >= before_ns);
}

}  // namespace volt::sched
