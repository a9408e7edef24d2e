// SPDX-License-Identifier: MIT

#include "runtime/sched/watchdog.h"

#include <doctest/doctest.h>

#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "runtime/work_class.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

constexpr auto kStall = 500ms;  // the shortest stall
constexpr std::uint32_t kAnyWorker = 99;

// The work that a stuck worker delays, and when it ran.
struct Probe {
  base::Atomic<std::int64_t> ready_ns{0};  // when the work became runnable
  base::Atomic<std::int64_t> ran_ns{0};    // when the work ran
  base::Atomic<std::int64_t> stuck_ns{0};  // when the stall began
  base::Atomic<std::int64_t> freed_ns{0};  // when the stall ended
  base::Atomic<bool> waits{false};
  base::Atomic<std::uint32_t> home{kAnyWorker};  // whose ring, wheel or inbox has the work
  base::Atomic<std::uint32_t> stuck_on{kAnyWorker};
  bool in_place = false;  // announces that it blocks, and blocks until the delayed work has run
  // The stall lasts until the delayed work has run, but no longer than this, so that a busy machine has time for it.
  std::chrono::nanoseconds stall_max = 10s;
  test::Pair pair = test::unix_pair();

  void ran() { ran_ns.store(sched::now_ns(), base::seq_cst); }
  // Returns false if an idle worker was faster and took the task that gets stuck, so that it delays nothing.
  bool delays() const {
    const std::uint32_t worker = home.load(base::seq_cst);
    return worker == kAnyWorker || worker == stuck_on.load(base::seq_cst);
  }
  bool ended() const { return ran_ns.load(base::seq_cst) != 0 && freed_ns.load(base::seq_cst) != 0; }
  void reset() {
    ran_ns.store(0, base::seq_cst);
    stuck_ns.store(0, base::seq_cst);
    freed_ns.store(0, base::seq_cst);
    waits.store(false, base::seq_cst);
  }
  // The work counts as light: the next task that gets stuck would otherwise be queued as a heavy one, for any worker.
  void get_stuck() {
    static_cast<void>(begin_work(WorkClass::make(WorkClass::Weight::light)));
    stuck_on.store(this_worker(), base::seq_cst);
    stuck_ns.store(sched::now_ns(), base::seq_cst);
    if (in_place) {
      static_cast<void>(
          block_in_place([this] { return eventually([this] { return ran_ns.load(base::seq_cst) != 0; }); }));
    } else {
      test::burn(kStall);
      const std::int64_t give_up_ns = stuck_ns.load(base::seq_cst) + stall_max.count();
      while (ran_ns.load(base::seq_cst) == 0 && sched::now_ns() < give_up_ns) base::spin_pause();
    }
    freed_ns.store(sched::now_ns(), base::seq_cst);
  }
};
using ProbeRef = std::shared_ptr<Probe>;

Task<> note(ProbeRef probe) {
  probe->ran();
  co_return;
}

Task<> read_and_note(ProbeRef probe) {
  TcpStream stream(probe->pair.near.release());
  std::byte byte{};
  probe->home.store(this_worker(), base::seq_cst);
  probe->waits.store(true, base::seq_cst);
  static_cast<void>(co_await stream.read({&byte, 1}));
  probe->ran();
}

Task<> sleep_and_note(ProbeRef probe) {
  probe->home.store(this_worker(), base::seq_cst);
  probe->ready_ns.store(sched::now_ns() + 100'000'000, base::seq_cst);
  probe->waits.store(true, base::seq_cst);
  co_await sleep_for(100ms);
  probe->ran();
}

Task<> get_stuck(ProbeRef probe) {
  probe->get_stuck();
  co_return;
}

Task<> wake_and_get_stuck(ProbeRef probe) {
  probe->ready_ns.store(sched::now_ns(), base::seq_cst);
  spawn(note, probe).detach();
  probe->get_stuck();
  co_return;
}

Task<> queue_and_get_stuck(ProbeRef probe) {
  const auto nothing = []() -> Task<> { co_return; };
  probe->ready_ns.store(sched::now_ns(), base::seq_cst);  // before another worker may run the task
  spawn(note, probe).detach();
  spawn(nothing).detach();  // takes the LIFO slot
  probe->get_stuck();
  co_return;
}

// Each of these functions makes a stuck worker delay one kind of work.

void socket_event(Runtime& runtime, const ProbeRef& probe) {
  runtime.spawn_on(0, read_and_note, probe).detach();
  REQUIRE(eventually([&] { return probe->waits.load(base::seq_cst); }));
  std::this_thread::sleep_for(5ms);  // the task is in its wait by now
  runtime.spawn_on(probe->home.load(base::seq_cst), get_stuck, probe).detach();
  REQUIRE(eventually([&] { return probe->stuck_ns.load(base::seq_cst) != 0; }));
  std::this_thread::sleep_for(20ms);
  probe->ready_ns.store(sched::now_ns(), base::seq_cst);
  REQUIRE(test::send_all(probe->pair.far.get(), "x"));
}

void due_timer(Runtime& runtime, const ProbeRef& probe) {
  // On a slow machine, the timer may be due before the worker is stuck. Then no other worker is needed.
  for (int attempt = 0; attempt != 20; ++attempt) {
    runtime.spawn_on(0, sleep_and_note, probe).detach();
    REQUIRE(eventually([&] { return probe->waits.load(base::seq_cst); }));
    std::this_thread::sleep_for(5ms);
    runtime.spawn_on(probe->home.load(base::seq_cst), get_stuck, probe).detach();
    REQUIRE(eventually([&] { return probe->stuck_ns.load(base::seq_cst) != 0; }));
    if (probe->stuck_ns.load(base::seq_cst) < probe->ready_ns.load(base::seq_cst)) return;
    REQUIRE(eventually([&] { return probe->ended(); }));
    probe->reset();
  }
  FAIL("the timer was always due before the worker was stuck");
}

void posted_task(Runtime& runtime, const ProbeRef& probe) {
  probe->home.store(0, base::seq_cst);
  runtime.spawn_on(0, get_stuck, probe).detach();
  REQUIRE(eventually([&] { return probe->stuck_ns.load(base::seq_cst) != 0; }));
  std::this_thread::sleep_for(20ms);
  probe->ready_ns.store(sched::now_ns(), base::seq_cst);
  runtime.spawn_on(0, note, probe).detach();
}

void task_in_lifo_slot(Runtime& runtime, const ProbeRef& probe) {
  runtime.spawn_on(0, wake_and_get_stuck, probe).detach();
}

void task_in_queue(Runtime& runtime, const ProbeRef& probe) {
  runtime.spawn_on(0, queue_and_get_stuck, probe).detach();
}

struct Case {
  std::string_view why;
  void (*arrange)(Runtime&, const ProbeRef&);
  bool stolen = false;  // may be stolen instead, by a worker that searches in time
};
constexpr Case kCases[] = {
    {"an event of a socket whose home is the stuck worker", socket_event},
    {"a timer of its wheel", due_timer},
    {"a task in its inbox", posted_task},
    {"a task in its LIFO slot", task_in_lifo_slot},
    {"a task in its queue", task_in_queue, true},
};

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/watchdog");

TEST_CASE("work delayed by a stuck worker is run by another worker during the stall") {
  for (const auto& [why, arrange, stolen] : kCases) {
    CAPTURE(why);
    Runtime runtime(test_options(2));
    const auto probe = std::make_shared<Probe>();
    arrange(runtime, probe);
    CHECK(eventually([&] { return probe->freed_ns.load(base::seq_cst) != 0; }));
    CHECK(eventually([&] { return probe->ran_ns.load(base::seq_cst) != 0; }));
    CHECK(probe->ran_ns.load(base::seq_cst) >= probe->ready_ns.load(base::seq_cst));
    CHECK(probe->ran_ns.load(base::seq_cst) < probe->freed_ns.load(base::seq_cst));
    if (!stolen && probe->delays()) CHECK(runtime.metrics().total().rescues > 0);
    CHECK(runtime.metrics().total().stalls > 0);
  }
}

TEST_CASE("work delayed by a worker in block_in_place is run by another worker, so the block can end") {
  for (const auto& [why, arrange, stolen] : kCases) {
    CAPTURE(why);
    Runtime runtime(test_options(2));
    const auto probe = std::make_shared<Probe>();
    probe->in_place = true;
    arrange(runtime, probe);
    CHECK(eventually([&] { return probe->freed_ns.load(base::seq_cst) != 0; }));
    CHECK(probe->ran_ns.load(base::seq_cst) != 0);
    CHECK(probe->ran_ns.load(base::seq_cst) < probe->freed_ns.load(base::seq_cst));
    if (!stolen && probe->delays()) CHECK(runtime.metrics().total().rescues > 0);
  }
}

TEST_CASE("a task in block_in_place is not reported as stalled until it has left it") {
  Runtime runtime(test_options(2));
  base::Atomic<int> reported{0};
  base::Atomic<bool> blocking{true};
  base::Atomic<int> reported_while_blocking{0};
  runtime.on_stall([&](const Stall& stall) {
    if (stall.charged() < 50ms) return;  // the kernel may have preempted the worker before it announced the block
    (blocking.load(base::seq_cst) ? reported_while_blocking : reported).fetch_add(1, base::seq_cst);
  });
  runtime.block_on([&]() -> Task<> {
    const int got = block_in_place([] {
      const int inner = block_in_place([] { return 40; });
      std::this_thread::sleep_for(300ms);
      return inner + 2;
    });
    blocking.store(false, base::seq_cst);
    CHECK(got == 42);
    CHECK(reported_while_blocking.load(base::seq_cst) == 0);
    CHECK(eventually([&] { return reported.load(base::seq_cst) != 0; }));  // busy waiting is reported
    co_return;
  });
  runtime.on_stall(nullptr);
}

TEST_CASE("block_in_place returns or throws what the callable does, even if no other worker can take over") {
  for (const std::uint32_t workers : {1u, 2u}) {
    Runtime runtime(test_options(workers));
    runtime.block_on([&]() -> Task<> {
      int value = 1;
      int& same = block_in_place([&]() -> int& { return value; });
      CHECK(&same == &value);
      CHECK_THROWS_AS(block_in_place([] { throw std::runtime_error("why"); }), std::runtime_error);
      co_await yield();
      block_in_place([&] { value = 2; });
      CHECK(value == 2);
    });
  }
}

TEST_CASE("without rescue a stuck worker's sockets, timers and inbox wait for it") {
  for (const auto& [why, arrange, stolen] : kCases) {
    CAPTURE(why);
    if (stolen) continue;
    RuntimeOptions options = test_options(2);
    options.enable_rescue = false;
    Runtime runtime(options);
    const auto probe = std::make_shared<Probe>();
    probe->stall_max = kStall;
    arrange(runtime, probe);
    CHECK(eventually([&] { return probe->ran_ns.load(base::seq_cst) != 0; }));
    if (probe->delays()) CHECK(probe->ran_ns.load(base::seq_cst) >= probe->freed_ns.load(base::seq_cst));
    CHECK(runtime.metrics().total().rescues == 0);
    CHECK(runtime.metrics().total().stalls == 0);
  }
}

TEST_CASE("a stuck worker's connections move away, and stay on their new worker") {
  Runtime runtime(test_options(2));
  const auto echo = [](std::shared_ptr<Probe> probe) -> Task<> {
    TcpStream stream(probe->pair.near.release());
    std::byte byte{};
    for (;;) {
      probe->home.store(this_worker(), base::seq_cst);
      probe->waits.store(true, base::seq_cst);
      const Result<std::size_t> count = co_await stream.read({&byte, 1});
      if (!count || *count == 0) co_return;
      static_cast<void>(co_await stream.write_all({&byte, 1}));
    }
  };
  struct Stall {
    base::Atomic<bool> over{false};
    base::Atomic<bool> began{false};
    base::Atomic<bool> ended{false};
  };
  const auto compute_until_over = [](std::shared_ptr<Stall> stall) -> Task<> {
    static_cast<void>(begin_work(WorkClass::make(WorkClass::Weight::light)));  // so that it stays where it was spawned
    stall->began.store(true, base::seq_cst);
    const std::int64_t give_up_ns = sched::now_ns() + 20'000'000'000;
    while (!stall->over.load(base::seq_cst) && sched::now_ns() < give_up_ns) base::spin_pause();
    stall->ended.store(true, base::seq_cst);
    co_return;
  };
  const auto probe = std::make_shared<Probe>();
  runtime.spawn_on(0, echo, probe).detach();
  REQUIRE(eventually([&] { return probe->waits.load(base::seq_cst); }));
  // On a crowded machine a stall may end before the watchdog has seen it for long enough.
  const auto moved = [&] { return runtime.metrics().total().migrated > 0; };
  for (int round = 0; round < 4 || (round < 40 && !moved()); ++round) {
    const auto stall = std::make_shared<Stall>();
    runtime.spawn_on(static_cast<std::uint32_t>(round) % 2, compute_until_over, stall).detach();
    REQUIRE(eventually([&] { return stall->began.load(base::seq_cst); }));
    std::this_thread::sleep_for(20ms);
    for (int i = 0; i != 20; ++i) {
      REQUIRE(test::send_all(probe->pair.far.get(), "x"));
      REQUIRE(test::receive_exactly(probe->pair.far.get(), 1) == "x");
    }
    CHECK(!stall->ended.load(base::seq_cst));  // all that during the stall
    stall->over.store(true, base::seq_cst);
    REQUIRE(eventually([&] { return stall->ended.load(base::seq_cst); }));
  }
  CHECK(moved());
  CHECK(eventually([&] { return runtime.metrics().total().descriptors == 1; }));  // no poll is left at the old home
}

TEST_CASE("a rescuer does not consume the owner's wake-up") {
  // The verdict may be outdated: the owner is about to sleep, another thread has just woken it, and the rescuer
  // collects that wake, too.
  auto reactor = io::Reactor::create(test_engine()).value();
  base::Chain<io::Completion> woken;
  reactor->poll(woken);
  for (int round = 0; round != 20; ++round) {
    reactor->wake();
    reactor->flush_from_signal();
    std::thread([&] { reactor->rescue(woken, [] { return true; }); }).join();
    const std::int64_t start_ns = sched::now_ns();
    reactor->wait(start_ns + 5'000'000'000, woken);
    CHECK(sched::now_ns() - start_ns < 2'000'000'000);
  }
  reactor->wake();
  reactor->flush_from_signal();
  std::thread([&] { reactor->rescue(woken, [] { return false; }); }).join();
  reactor->wait(io::Reactor::kForever, woken);  // returns, because the wake was not consumed
  CHECK(woken.empty());
}

TEST_CASE("a runtime that has slept for long still detects the next stall") {
  Runtime runtime(test_options(2));
  std::this_thread::sleep_for(100ms);  // all workers sleep, and the watchdog does
  const auto probe = std::make_shared<Probe>();
  task_in_lifo_slot(runtime, probe);
  CHECK(eventually([&] { return probe->freed_ns.load(base::seq_cst) != 0; }));
  CHECK(probe->ran_ns.load(base::seq_cst) != 0);
  CHECK(probe->ran_ns.load(base::seq_cst) < probe->freed_ns.load(base::seq_cst));
}

TEST_SUITE_END();

}  // namespace volt
