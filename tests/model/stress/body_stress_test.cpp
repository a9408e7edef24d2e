// SPDX-License-Identifier: MIT

// Runs the bodies on real threads: the same source with the hardware's atomics, also under the thread sanitizer.
#include <doctest/doctest.h>
#include <sched.h>

#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "tests/model/bodies/barrier_body.h"
#include "tests/model/bodies/broadcast_body.h"
#include "tests/model/bodies/channel_body.h"
#include "tests/model/bodies/children_body.h"
#include "tests/model/bodies/deadline_body.h"
#include "tests/model/bodies/fairness_body.h"
#include "tests/model/bodies/fork_deque_body.h"
#include "tests/model/bodies/fork_join_body.h"
#include "tests/model/bodies/frame_pool_body.h"
#include "tests/model/bodies/global_queue_body.h"
#include "tests/model/bodies/hand_over_body.h"
#include "tests/model/bodies/heavy_share_body.h"
#include "tests/model/bodies/idle_body.h"
#include "tests/model/bodies/inspection_body.h"
#include "tests/model/bodies/lifo_slot_body.h"
#include "tests/model/bodies/light_first_body.h"
#include "tests/model/bodies/local_queue_body.h"
#include "tests/model/bodies/loop_body.h"
#include "tests/model/bodies/moving_source_body.h"
#include "tests/model/bodies/mutex_body.h"
#include "tests/model/bodies/notify_all_body.h"
#include "tests/model/bodies/notify_body.h"
#include "tests/model/bodies/once_cell_body.h"
#include "tests/model/bodies/oneshot_body.h"
#include "tests/model/bodies/published_array_body.h"
#include "tests/model/bodies/rescue_body.h"
#include "tests/model/bodies/rw_lock_body.h"
#include "tests/model/bodies/semaphore_body.h"
#include "tests/model/bodies/send_home_body.h"
#include "tests/model/bodies/shared_frame_pool_body.h"
#include "tests/model/bodies/shielded_scope_body.h"
#include "tests/model/bodies/spare_duty_body.h"
#include "tests/model/bodies/spare_rest_body.h"
#include "tests/model/bodies/stuck_worker_body.h"
#include "tests/model/bodies/stuck_workers_body.h"
#include "tests/model/bodies/task_state_body.h"
#include "tests/model/bodies/timers_body.h"
#include "tests/model/bodies/trim_body.h"
#include "tests/model/bodies/turn_record_body.h"
#include "tests/model/bodies/watch_body.h"
#include "tests/model/bodies/watchdog_body.h"
#include "tests/support/sanitizers.h"

namespace volt::model {

// Aborts the process, because the other threads may wait for an event that will not come.
void require(bool fact, const char* what) noexcept {
  if (fact) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void pause() noexcept { ::sched_yield(); }

namespace {

constexpr auto kLost = std::chrono::seconds(60);
constexpr std::uint64_t kRounds = 10'000;

// Each round constructs a body, runs its threads concurrently and finishes it. A round that does not end has lost a
// wake-up.
template <class Model>
void run_many(std::uint64_t rounds) {
  std::unique_ptr<Body> body;
  base::Atomic<std::uint64_t> rounds_done{0};
  base::Atomic<bool> ended{false};
  std::barrier start(Model::kThreads + 1);
  std::barrier end(Model::kThreads + 1);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i != Model::kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (;;) {
        start.arrive_and_wait();
        if (!body) return;
        body->thread(i);
        end.arrive_and_wait();
      }
    });
  }
  std::thread watch([&] {
    std::uint64_t seen = 0;
    auto since = std::chrono::steady_clock::now();
    while (!ended.load(base::acquire)) {  // edge from the end of the rounds
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const std::uint64_t done = rounds_done.load(base::relaxed);
      if (done != seen) since = std::chrono::steady_clock::now();
      seen = done;
      require(std::chrono::steady_clock::now() - since < kLost, "a round ends");
    }
  });
  test::TimedRounds timed(rounds, std::chrono::seconds(2));
  while (timed.next()) {
    body = std::make_unique<Model>();
    start.arrive_and_wait();
    end.arrive_and_wait();
    body->finish();
    body.reset();
    rounds_done.store(timed.begun(), base::relaxed);
  }
  start.arrive_and_wait();           // without a body: the threads end
  ended.store(true, base::release);  // edge to the watch
  for (auto& thread : threads) thread.join();
  watch.join();
  CHECK(rounds_done.load(base::relaxed) == timed.begun());
}

}  // namespace

TEST_SUITE_BEGIN("model/stress/body_stress");

TEST_CASE("each item of a local queue is taken exactly once") {
  run_many<LocalQueueBody>(test::stress_rounds(kRounds));
}
TEST_CASE("each task in a LIFO slot is taken exactly once") { run_many<LifoSlotBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("a turn record gives the task and the class of one turn") {
  run_many<TurnRecordBody>(test::stress_rounds(kRounds));
}
TEST_CASE("each job of a fork deque is taken exactly once") { run_many<ForkDequeBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a child of all() that may be stolen runs once") { run_many<StolenChildBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a child of all() that fails ends the wait of another") {
  run_many<WaitingChildBody<>>(test::stress_rounds(kRounds));
}
TEST_CASE("a forker helps its thief with parts of its own job") {
  run_many<ForkJoinBody<>>(test::stress_rounds(kRounds));
}
TEST_CASE("no job waits in the queue while a worker sleeps") { run_many<IdleBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("each job runs once, whichever queue it waits in") { run_many<LoopBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("no queue starves") { run_many<FairnessBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("heavy and light jobs get their shares") { run_many<HeavyShareBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("light jobs run before heavy ones") { run_many<LightFirstBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("a worker looks for work again before it sleeps") { run_many<TrimBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("the jobs of a stuck worker run elsewhere") {
  run_many<StuckWorkerBody<false>>(test::stress_rounds(kRounds));
  run_many<StuckWorkerBody<true>>(test::stress_rounds(kRounds));
}
TEST_CASE("a wake leads to a run") { run_many<TaskStateBody>(test::stress_rounds(kRounds)); }
TEST_CASE("an inspection loses no wake and no cancel") {
  run_many<InspectionBody<true>>(test::stress_rounds(kRounds));
  run_many<InspectionBody<false>>(test::stress_rounds(kRounds));
  run_many<ShieldedScopeBody<>>(test::stress_rounds(kRounds));
}
TEST_CASE("a rescue leaves no event unhandled") { run_many<RescueBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("no worker runs while the watchdog sleeps") {
  run_many<WatchdogBody<>>(test::stress_rounds(kRounds));
  run_many<WatchdogBody<WatchdogFault::none, true>>(test::stress_rounds(kRounds));
}
TEST_CASE("a worker that blocks is announced until a sample finds it") {
  run_many<StuckWorkersBody<>>(test::stress_rounds(kRounds));
}
TEST_CASE("a spare has one thread at a time, and does the work for which it is activated") {
  run_many<SpareDutyBody<false>>(test::stress_rounds(kRounds));
  run_many<SpareDutyBody<true>>(test::stress_rounds(kRounds));
}
TEST_CASE("a spare runs no task while the watchdog sleeps") { run_many<SpareRestBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("a published element is filled in") { run_many<PublishedArrayBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("the tasks that a spare hands over run") {
  run_many<HandOverBody<false>>(test::stress_rounds(kRounds));
  run_many<HandOverBody<true>>(test::stress_rounds(kRounds));
}
TEST_CASE("a spare sends its streams home") { run_many<SendHomeBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("a wait ends at its deadline") {
  run_many<DeadlineBody<false>>(test::stress_rounds(kRounds));
  run_many<DeadlineBody<true>>(test::stress_rounds(kRounds));
}
TEST_CASE("a block that another thread frees is handed out again once") {
  run_many<FramePoolBody<>>(test::stress_rounds(kRounds));
  run_many<SharedFramePoolBody<>>(test::stress_rounds(kRounds));
}
TEST_CASE("each item of a global queue leaves once") { run_many<GlobalQueueBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a sleep ends once, whichever thread ends it") { run_many<TimersBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("a source that moves loses no edge") { run_many<MovingSourceBody<>>(test::stress_rounds(kRounds)); }
TEST_CASE("a mutex is held by one task at a time") { run_many<MutexBody>(test::stress_rounds(kRounds)); }
TEST_CASE("each value of a channel is received exactly once") { run_many<ChannelBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a notification reaches a task that waits on") { run_many<NotifyBody>(test::stress_rounds(kRounds)); }
TEST_CASE("all tasks that wait are notified") { run_many<NotifyAllBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a round of a barrier ends when all have arrived") { run_many<BarrierBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a subscriber receives or misses each value") { run_many<BroadcastBody>(test::stress_rounds(kRounds)); }
TEST_CASE("permits are granted at most once") { run_many<SemaphoreBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a reader behind a writer that is cancelled reads") { run_many<RwLockBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a receiver sees the last value and the end") { run_many<WatchBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a value is created once") { run_many<OnceCellBody>(test::stress_rounds(kRounds)); }
TEST_CASE("a oneshot's value is received once or is still there") {
  run_many<OneshotCancelBody>(test::stress_rounds(kRounds));
  run_many<OneshotEndsBody>(test::stress_rounds(kRounds));
  run_many<OneshotSelectBody>(test::stress_rounds(kRounds));
}

TEST_SUITE_END();

}  // namespace volt::model
