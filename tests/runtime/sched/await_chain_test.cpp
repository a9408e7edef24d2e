// SPDX-License-Identifier: MIT

#include "runtime/sched/await_chain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <coroutine>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/channel.h"
#include "runtime/generator.h"
#include "runtime/notify.h"
#include "runtime/once_cell.h"
#include "runtime/runtime.h"
#include "runtime/sched/task_header.h"
#include "runtime/select.h"
#include "runtime/semaphore.h"
#include "runtime/spawn.h"
#include "runtime/tasks.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

std::string place(int line) { return "tests/runtime/sched/await_chain_test.cpp:" + std::to_string(line); }

constexpr int kReadsLine = __LINE__ + 3;
Task<int> read_row() {
  // A comment, so that the await is not on the line of the function.
  co_await sleep_for(1h);
  co_return 1;
}
constexpr int kLoadsLine = __LINE__ + 3;
Task<int> load_page(int rows) {
  int sum = rows;
  sum += co_await read_row();
  co_return sum;
}
constexpr int kServesLine = __LINE__ + 2;
Task<> serve_page() {
  static_cast<void>(co_await load_page(1));
  static_cast<void>(co_await load_page(2));
}

constexpr int kGeneratesLine = __LINE__ + 2;
Generator<int> numbers() {
  co_await sleep_for(1h);
  co_yield 1;
}
Task<> wait_generator() {
  auto source = numbers();
  static_cast<void>(co_await source.next());
}
Task<> wait_select() { static_cast<void>(co_await select(sleep_for(1h), sleep_for(2h))); }
Task<> wait_permits() {
  Semaphore none(0);
  static_cast<void>(co_await none.acquire_within(1h));
}
Task<> wait_once() {
  OnceCell<int> cell;
  static_cast<void>(co_await cell.get_or_init([]() -> Task<int> { return read_row(); }));
}
Task<> wait_joined() {
  static_cast<void>(co_await spawn([]() -> Task<int> { co_return co_await read_row(); }));
}

// A coroutine type of a program, about whose promise the runtime knows nothing.
struct Foreign {
  struct promise_type {
    Foreign get_return_object() noexcept { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    struct Back {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) const noexcept {
        return ended.promise().awaiting;
      }
      void await_resume() const noexcept {}
    };
    [[nodiscard]] Back final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }
    std::exception_ptr error;
    std::coroutine_handle<> awaiting;
  };
  std::coroutine_handle<promise_type> frame;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
    frame.promise().awaiting = awaiting;
    return frame;
  }
  void await_resume() const {
    const std::exception_ptr error = frame.promise().error;
    frame.destroy();
    if (error) std::rethrow_exception(error);
  }
};
Foreign wait_foreign() { co_await sleep_for(1h); }
Task<> await_foreign() { co_await wait_foreign(); }

// Returns the chain of the first of the `count` tasks, after all of them have begun to wait.
std::vector<AwaitInfo> chain_of_first(const Runtime& runtime, std::size_t count = 1) {
  TaskReport report;
  REQUIRE(eventually([&] {
    report = runtime.tasks_with_awaits(10);
    return report.tasks.size() == count &&
           std::ranges::all_of(report.tasks, [](const TaskInfo& task) { return !task.awaits.empty(); });
  }));
  return report.tasks[0].awaits;
}

bool named(const AwaitInfo& coroutine, std::string_view function) {
  return coroutine.function.find(function) != std::string::npos;
}

// Calls tasks_with_awaits() on a thread of its own, again and again, until it is destroyed.
class Inspector {
 public:
  explicit Inspector(const Runtime& runtime)
      : thread_([this, &runtime] {
          while (!ended_.load(base::relaxed)) {  // relaxed: only a flag
            for (const TaskInfo& task : runtime.tasks_with_awaits(100).tasks) {
              if (!task.awaits.empty()) seen_.fetch_add(1, base::relaxed);  // relaxed: a count
            }
          }
        }) {}
  ~Inspector() {
    if (thread_.joinable()) static_cast<void>(end());
  }
  Inspector(const Inspector&) = delete;
  Inspector& operator=(const Inspector&) = delete;
  // Returns the number of chains that were seen.
  [[nodiscard]] std::uint64_t end() {
    ended_.store(true, base::relaxed);  // relaxed: as above
    thread_.join();
    return seen();
  }
  [[nodiscard]] std::uint64_t seen() const noexcept { return seen_.load(base::relaxed); }  // relaxed: a count

 private:
  base::Atomic<bool> ended_{false};
  base::Atomic<std::uint64_t> seen_{0};
  std::thread thread_;
};

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/await_chain");

TEST_CASE("the chain of a waiting task names each coroutine and the line of its await, the innermost first") {
  Runtime runtime(test_options());
  runtime.spawn(serve_page).detach();
  const std::vector<AwaitInfo> chain = chain_of_first(runtime);
  REQUIRE(chain.size() == 3);
  CHECK(named(chain[0], "read_row()"));
  CHECK(chain[0].at == place(kReadsLine));
  CHECK(named(chain[1], "load_page(int)"));
  CHECK(chain[1].at == place(kLoadsLine));
  CHECK(named(chain[2], "serve_page()"));
  CHECK(chain[2].at == place(kServesLine));
  CHECK(runtime.tasks(10).tasks[0].awaits.empty());
}

TEST_CASE("every kind of await is part of the chain") {
  const struct {
    Task<> (*task)();
    std::size_t tasks;
    std::vector<const char*> functions;
  } cases[] = {
      {wait_generator, 1, {"numbers()", "wait_generator()"}},
      {wait_select, 1, {"wait_select()"}},
      {wait_permits, 1, {"wait_permits()"}},
      {wait_joined, 2, {"wait_joined()"}},
  };
  for (const auto& [task, tasks, functions] : cases) {
    CAPTURE(functions.back());
    Runtime runtime(test_options());
    runtime.spawn(task).detach();
    const std::vector<AwaitInfo> chain = chain_of_first(runtime, tasks);
    REQUIRE(chain.size() == functions.size());
    for (std::size_t i = 0; i != chain.size(); ++i) {
      CHECK(named(chain[i], functions[i]));
      CHECK(chain[i].at.starts_with("tests/runtime/sched/await_chain_test.cpp:"));
    }
  }
  Runtime runtime(test_options());
  runtime.spawn(wait_generator).detach();
  CHECK(chain_of_first(runtime)[0].at == place(kGeneratesLine));
}

TEST_CASE("a coroutine of the runtime between two of the program is part of the chain") {
  Runtime runtime(test_options());
  runtime.spawn(wait_once).detach();
  const std::vector<AwaitInfo> chain = chain_of_first(runtime);
  REQUIRE(chain.size() >= 3);
  CHECK(named(chain.front(), "read_row()"));
  CHECK(chain[1].at.starts_with("runtime/once_cell.h:"));
  CHECK(named(chain.back(), "wait_once()"));
}

TEST_CASE("a chain ends at a coroutine that is not one of the runtime's types") {
  Runtime runtime(test_options());
  runtime.spawn(await_foreign).detach();
  const std::vector<AwaitInfo> chain = chain_of_first(runtime);
  REQUIRE(chain.size() == 1);
  CHECK(named(chain[0], "wait_foreign()"));
  CHECK(chain[0].at == "");
}

TEST_CASE("of a long chain the innermost coroutines are shown") {
  struct Deep {
    static Task<> wait(int depth) {
      if (depth == 0) co_await sleep_for(1h);
      if (depth != 0) co_await wait(depth - 1);
    }
  };
  Runtime runtime(test_options());
  runtime.spawn(Deep::wait, 100).detach();
  CHECK(chain_of_first(runtime).size() == sched::kAwaitLinksMax);
}

TEST_CASE("a task that runs, or is queued, has no chain") {
  Runtime runtime(test_options(1));
  const auto go_on = std::make_shared<base::Atomic<bool>>(false);
  const auto spin = [](std::shared_ptr<base::Atomic<bool>> end) -> Task<> {
    while (!end->load(base::acquire)) {
    }
    co_return;
  };
  runtime.spawn(spin, go_on).detach();
  runtime.spawn(serve_page).detach();
  CHECK(eventually([&] { return runtime.tasks(10).tasks[0].phase == TaskPhase::running; }));
  for (const TaskInfo& task : runtime.tasks_with_awaits(10).tasks) CHECK(task.awaits.empty());
  go_on->store(true, base::release);
}

TEST_CASE("no wake is lost while tasks are inspected") {
  Runtime runtime(test_options());
  const int rounds = static_cast<int>(test::stress_rounds(250'000));
  const auto send = [](Sender<int> to, Receiver<int> from, int count) -> Task<int> {
    int received = 0;
    for (int i = 0; i != count; ++i) {  // each round wakes both tasks
      if (!co_await to.send(i)) co_return received;
      const std::optional<int> value = co_await from.receive();
      received += value == i;
    }
    co_return received;
  };
  const auto reply = [](Receiver<int> from, Sender<int> to) -> Task<> {
    for (;;) {
      const std::optional<int> value = co_await from.receive();
      if (!value) co_return;
      if (!co_await to.send(*value)) co_return;
    }
  };
  Inspector inspector(runtime);
  int runs_left = 20;
  do {  // again if the machine was so busy that nothing was inspected
    std::vector<JoinHandle<int>> senders;
    for (int i = 0; i != 2; ++i) {
      auto [there, arrived] = channel<int>(1);
      auto [back, returned] = channel<int>(1);
      runtime.spawn(reply, std::move(arrived), std::move(back)).detach();
      senders.push_back(runtime.spawn(send, std::move(there), std::move(returned), rounds));
    }
    for (JoinHandle<int>& sender : senders) {
      const auto join = [&]() -> Task<int> { co_return co_await std::move(sender); };
      CHECK(runtime.block_on(join) == rounds);
    }
  } while (inspector.seen() == 0 && --runs_left != 0);
  CHECK(inspector.end() > 0);
}

TEST_CASE("tasks that end while they are inspected are destroyed once") {
  struct Counted {
    std::shared_ptr<int> alive;  // counts the tasks' values that exist, by its references
  };
  const auto alive = std::make_shared<int>();
  {
    Runtime runtime(test_options());
    const auto end_soon = [](std::shared_ptr<int> value) -> Task<Counted> {
      co_await sleep_for(1us);
      co_return Counted{std::move(value)};
    };
    Inspector inspector(runtime);
    const auto run = [&]() -> Task<> {
      for (std::uint64_t i = 0; i != test::stress_rounds(2'000); ++i) {
        spawn(end_soon, alive).detach();
        auto joined = spawn(end_soon, alive);
        const Counted value = co_await std::move(joined);
        CHECK(value.alive == alive);
      }
    };
    runtime.block_on(run);
    CHECK(eventually([&] { return runtime.tasks(1).live == 0; }));
  }
  CHECK(alive.use_count() == 1);
}

TEST_CASE("a task that is cancelled while it is inspected ends") {
  Runtime runtime(test_options());
  Inspector inspector(runtime);
  const auto wait = []() -> Task<> { co_await serve_page(); };
  const auto run = [&]() -> Task<> {
    for (std::uint64_t i = 0; i != test::stress_rounds(5'000); ++i) {
      auto task = spawn(wait);
      co_await yield();
      task.cancel();
      bool cancelled = false;
      try {
        co_await std::move(task);
      } catch (const Cancelled&) {  // decided: it must end so
        cancelled = true;
      }
      CHECK(cancelled);
    }
  };
  runtime.block_on(run);
  CHECK(runtime.tasks(1).live == 0);
}

// A task that swallows Cancelled ten thousand times is no longer cancelled (TaskHeader::kTimesRefusedMax).
TEST_CASE("an inspection of a cancelled task does not count as an await that was refused") {
  Runtime runtime(test_options());
  struct Call {
    base::Atomic<bool> began{false};
    std::mutex held;
  } call;
  std::unique_lock lock(call.held);
  const auto wait = [](Borrowed<Call> called) -> Task<> {
    co_await blocking([called] {
      called.get().began.store(true, base::relaxed);  // relaxed: only a flag
      const std::scoped_lock wait_for(called.get().held);
    });
    co_await sleep_for(1h);
  };
  auto task = runtime.spawn(wait, borrow(call));
  static_cast<void>(chain_of_first(runtime));
  CHECK(eventually([&] { return call.began.load(base::relaxed); }));  // relaxed: as above
  task.cancel();
  for (int i = 0; i <= sched::TaskHeader::kTimesRefusedMax; ++i) {
    REQUIRE(runtime.tasks_with_awaits(1).tasks[0].awaits.size() == 1);
  }
  lock.unlock();
  CHECK(eventually([&] { return runtime.tasks(1).live == 0; }));
}

}  // namespace volt
