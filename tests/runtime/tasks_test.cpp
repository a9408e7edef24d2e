// SPDX-License-Identifier: MIT

#include "runtime/tasks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/broadcast.h"
#include "runtime/channel.h"
#include "runtime/concurrent.h"
#include "runtime/log.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"
#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/processor_time.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

// Objects that the tasks below wait for, forever.
struct World {
  test::Pair pair = test::unix_pair();
  test::Pair full = test::unix_pair();
  Mutex mutex;
  Notify notify;
  std::mutex held;  // held by the test, so that a callable of the blocking pool waits
};
using WorldRef = std::shared_ptr<World>;

Task<> sleep_long(WorldRef) { co_await sleep_for(1h); }
Task<> wait_notified(WorldRef world) { co_await world->notify.notified(); }
Task<> read_socket(WorldRef world) {
  TcpStream stream(world->pair.near.release());
  static_cast<void>(co_await stream.readable());
}
Task<> write_socket(WorldRef world) {
  TcpStream stream(world->full.near.release());
  const std::vector<std::byte> much(8 << 20);
  static_cast<void>(co_await stream.write_all(much));
}
Task<> hold_lock(WorldRef world) {
  const Mutex::Guard guard = co_await world->mutex.lock();
  co_await sleep_for(1h);
}
Task<> wait_lock(WorldRef world) { const Mutex::Guard guard = co_await world->mutex.lock(); }
Task<> wait_blocking(WorldRef world) {
  co_await blocking([&world = *world] { const std::scoped_lock lock(world.held); });
}
Task<> receive(WorldRef) {
  auto [sender, receiver] = channel<int>(1);
  static_cast<void>(co_await receiver.receive());
}
Task<> wait_children(WorldRef) {
  co_await race([]() -> Task<> { co_await sleep_for(1h); }, []() -> Task<> { co_await sleep_for(1h); });
}

// Returns the only task of the runtime, after it has begun to wait.
TaskInfo only_waiting(const Runtime& runtime) {
  TaskReport report;
  REQUIRE(eventually([&] {
    report = runtime.tasks(10);
    return report.tasks.size() == 1 && report.tasks[0].phase == TaskPhase::waiting;
  }));
  CHECK(report.live == 1);
  return report.tasks[0];
}

}  // namespace

TEST_SUITE_BEGIN("runtime/tasks");

TEST_CASE("a report says what each task waits for") {
  const struct {
    WaitsFor what;
    Task<> (*task)(WorldRef);
  } cases[] = {
      {WaitsFor::timer, sleep_long},       {WaitsFor::notification, wait_notified}, {WaitsFor::readable, read_socket},
      {WaitsFor::writable, write_socket},  {WaitsFor::blocking, wait_blocking},     {WaitsFor::channel, receive},
      {WaitsFor::children, wait_children},
  };
  for (const auto& [what, task] : cases) {
    CAPTURE(std::string(to_string(what)));
    const auto world = std::make_shared<World>();
    std::unique_lock held(world->held);
    Runtime runtime(test_options());
    runtime.spawn(task, world).detach();
    const TaskInfo info = only_waiting(runtime);
    CHECK(std::string(to_string(info.waits_for)) == std::string(to_string(what)));
    CHECK(info.since < 20s);
    CHECK_FALSE(info.cancelled);
    held.unlock();
  }
}

TEST_CASE("a report distinguishes the task that waits for a lock from the task that holds it") {
  const auto world = std::make_shared<World>();
  Runtime runtime(test_options());
  runtime.spawn(hold_lock, world).detach();
  CHECK(only_waiting(runtime).waits_for == WaitsFor::timer);
  runtime.spawn(wait_lock, world).detach();
  CHECK(eventually([&] {
    const TaskReport report = runtime.tasks(10);
    return std::ranges::any_of(report.tasks, [](const TaskInfo& task) { return task.waits_for == WaitsFor::lock; });
  }));
}

TEST_CASE("a report names each task's function, and the place where the task was detached") {
  const auto world = std::make_shared<World>();
  Runtime runtime(test_options());
  {
    const JoinHandle<void> handle = runtime.spawn(sleep_long, world);
    const TaskInfo info = only_waiting(runtime);
    CHECK(info.function.find("sleep_long(") != std::string::npos);
    CHECK(info.detached_at == "");
    handle.cancel();
  }
  CHECK(eventually([&] { return runtime.tasks(10).tasks.empty(); }));
  runtime.spawn(wait_notified, world).detach();
  const int line = __LINE__ - 1;
  const TaskInfo info = only_waiting(runtime);
  CHECK(info.function.find("wait_notified(") != std::string::npos);
  CHECK(info.detached_at == "tests/runtime/tasks_test.cpp:" + std::to_string(line));
}

TEST_CASE("the time since a task's last turn grows with the runtime's clock") {
  RuntimeOptions options = test_options();
  options.manual_clock = true;
  Runtime runtime(options);
  runtime.spawn([]() -> Task<> { co_await sleep_for(1h); }).detach();
  runtime.advance_clock(0s);
  const auto before = only_waiting(runtime).since;
  runtime.advance_clock(10s);
  const auto waited = only_waiting(runtime).since - before;
  CHECK(waited >= 10s);
  CHECK(waited < 11s);
}

TEST_CASE("a computing task is running, and a task whose worker is busy is queued") {
  Runtime runtime(test_options(1));
  const auto go_on = std::make_shared<base::Atomic<bool>>(false);
  const auto spin = [](std::shared_ptr<base::Atomic<bool>> end) -> Task<> {
    while (!end->load(base::acquire)) {
    }
    co_return;
  };
  runtime.spawn(spin, go_on).detach();
  CHECK(eventually([&] {
    const TaskReport report = runtime.tasks(10);
    return report.tasks.size() == 1 && report.tasks[0].phase == TaskPhase::running;
  }));
  runtime.spawn([]() -> Task<> { co_return; }).detach();
  const TaskReport report = runtime.tasks(10);
  REQUIRE(report.tasks.size() == 2);
  CHECK(report.tasks[1].phase == TaskPhase::queued);
  go_on->store(true, base::release);
  CHECK(eventually([&] { return runtime.tasks(10).tasks.empty(); }));
}

TEST_CASE("task ids are unique, and the children of a task share its id") {
  Runtime runtime(test_options());
  std::set<TaskId> ids;
  for (int i = 0; i != 20; ++i) {
    const auto [own, children] = runtime.block_on([]() -> Task<std::pair<TaskId, std::vector<TaskId>>> {
      std::vector<TaskId> seen(2);
      co_await all(
          [&]() -> Task<> {
            seen[0] = this_task_id();
            co_return;
          },
          [&]() -> Task<> {
            seen[1] = this_task_id();
            co_return;
          });
      co_return std::pair(this_task_id(), seen);
    });
    CHECK(ids.insert(own).second);
    CHECK(children == std::vector<TaskId>{own, own});
    const TaskId spawned = runtime.block_on(
        []() -> Task<TaskId> { co_return co_await spawn([]() -> Task<TaskId> { co_return this_task_id(); }); });
    CHECK(ids.insert(spawned).second);
  }
}

TEST_CASE("a report lists at most the requested number of tasks, and counts all") {
  const auto world = std::make_shared<World>();
  Runtime runtime(test_options());
  for (int i = 0; i != 10; ++i) runtime.spawn(sleep_long, world).detach();
  for (const std::size_t shown : {0, 1, 9, 10, 100}) {
    const TaskReport report = runtime.tasks(shown);
    CHECK(report.tasks.size() == std::min<std::size_t>(shown, 10));
    CHECK(report.live == 10);
  }
}

TEST_CASE("tasks may start and end during a report") {
  Runtime runtime(test_options());
  base::Atomic<bool> done{false};
  std::thread reader([&] {
    while (!done.load(base::acquire)) {
      for (const TaskInfo& task : runtime.tasks(1000).tasks) CHECK(task.id != 0);
    }
  });
  runtime.block_on([]() -> Task<> {
    for (int i = 0; i != 2000; ++i) co_await spawn([]() -> Task<> { co_await yield(); });
  });
  done.store(true, base::release);
  reader.join();
}

TEST_CASE("an observer of stalls may replace or remove itself, and may throw") {
  std::string logged;
  {
    RuntimeOptions options = test_options();
    options.log = std::make_shared<Log>(
        LogOptions{.flush_timeout = 60s, .sink = [&](std::string_view lines) { logged += lines; }});
    Runtime runtime(options);
    base::Atomic<int> first{0};
    base::Atomic<int> second{0};
    runtime.on_stall([&, one = std::make_shared<int>(1)](const Stall&) {
      runtime.on_stall([&](const Stall&) {
        second.fetch_add(1, base::relaxed);  // relaxed: a count
        throw std::out_of_range("no such route");
      });
      first.fetch_add(*one, base::relaxed);  // relaxed: a count; the observer still exists
    });
    const auto stall = []() -> Task<> {
      test::burn(20ms);
      co_return;
    };
    CHECK(eventually([&] {
      runtime.block_on(stall);
      return second.load(base::relaxed) >= 2;  // relaxed: a count
    }));
    CHECK(first.load(base::relaxed) == 1);  // relaxed: a count
    runtime.on_stall(nullptr);
    const int calls = second.load(base::relaxed);  // relaxed: no call runs
    runtime.block_on(stall);
    CHECK(second.load(base::relaxed) == calls);  // relaxed: as above
  }
  CHECK(logged.find("the on_stall observer threw an exception error=\"no such route\" type=std::out_of_range") !=
        std::string::npos);
}

TEST_CASE("a stall is reported with its worker and task, and again when it lasts") {
  Runtime runtime(test_options());
  std::mutex mutex;
  std::vector<Stall> stalls;
  runtime.on_stall([&](const Stall& stall) {
    const std::scoped_lock lock(mutex);
    stalls.push_back(stall);
  });
  const auto [task, worker] = runtime.block_on([]() -> Task<std::pair<TaskId, std::uint32_t>> {
    test::compute(300ms);
    co_return std::pair(this_task_id(), this_worker());
  });
  runtime.on_stall(nullptr);
  std::erase_if(stalls, [&](const Stall& stall) {
    return stall.task != task || stall.cause == StallCause::no_processor;  // on a busy machine
  });
  REQUIRE(stalls.size() >= 2);
  for (const Stall& stall : stalls) CHECK(stall.worker == worker);
  CHECK(stalls.front().lasted < stalls.back().lasted);
  CHECK(stalls.back().lasted >= 50ms);
  const std::size_t reported = stalls.size();
  runtime.block_on([]() -> Task<> {
    test::burn(20ms);
    co_return;
  });
  CHECK(stalls.size() == reported);
}

}  // namespace volt
