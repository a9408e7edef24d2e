// SPDX-License-Identifier: MIT

// The bodies whose workers run the loop that ships, and the faults of that loop (mutants.cmake).
#include <doctest/doctest.h>
#include <mutants.h>

#include "tests/model/bodies/fairness_body.h"
#include "tests/model/bodies/hand_over_body.h"
#include "tests/model/bodies/heavy_share_body.h"
#include "tests/model/bodies/idle_body.h"
#include "tests/model/bodies/light_first_body.h"
#include "tests/model/bodies/loop_body.h"
#include "tests/model/bodies/overflow_body.h"
#include "tests/model/bodies/rescue_body.h"
#include "tests/model/bodies/send_home_body.h"
#include "tests/model/bodies/stuck_worker_body.h"
#include "tests/model/bodies/trim_body.h"
#include "tests/model/explored.h"

namespace volt::model {
namespace {

using enum Operation;
using base::relaxed;

const std::vector<Fault> kIdleFaults = {
    {"claim_one", fence, relaxed},    // I1 I5
    {"park", fence, relaxed},         // I1
    {"stop_search", fence, relaxed},  // I5
    {"try_lock", exchange, relaxed},  // L1
    {"unlock", store, relaxed},       // L1
};

const std::vector<Fault> kRescueFaults = {
    {"claim", fence, relaxed},        // I1
    {"park", fence, relaxed},         // I1
    {"try_lock", exchange, relaxed},  // L1
    {"unlock", store, relaxed},       // L1
};

const std::vector<Fault> kHandOverFaults = {
    {"claim_one", fence, relaxed},    // I1 I5
    {"park", fence, relaxed},         // I1
    {"try_lock", exchange, relaxed},  // L1
    {"unlock", store, relaxed},       // L1
};

const std::vector<Fault> kStopFaults = {
    {"stopping", load, relaxed},  // D3
    {"stop", store, relaxed},     // D3
};

}  // namespace

TEST_SUITE_BEGIN("model");

TEST_CASE("idle protocol: no job waits in the queue while a worker sleeps") {
  check_body<IdleBody<>>({.quick = 2, .full = 3, .faults = 1}, kIdleFaults);
  check_found<IdleBody<sched::WorkerLoopWithoutRecheck>>(1);
  check_found<IdleBody<sched::WorkerLoopRecheckBeforePark>>(1);
  check_found<IdleBody<sched::WorkerLoopSearcherSaysNothing>>(1);
  check_found<IdleBody<sched::WorkerLoopDutyDropped>>(1);
  check_found<IdleBody<sched::WorkerLoopSearchNotEnded>>(1);
  check_found<IdleBody<sched::WorkerLoopStaysParked>>(1);
}

TEST_CASE("idle protocol: no heavy job waits in its queue while a worker sleeps") {
  check_body<IdleBody<sched::WorkerLoop, true>>({.quick = 2, .full = 3, .faults = 1}, {});
  check_found<IdleBody<sched::WorkerLoopHeavyNotRechecked, true>>(1);
  check_found<IdleBody<sched::WorkerLoopHeavyNotTold, true>>(2);
}

TEST_CASE("loop: each job runs exactly once, whichever queue it waits in") {
  check_body<LoopBody<>>({.quick = 2, .full = 3, .faults = 1}, {});
  check_found<LoopBody<sched::WorkerLoopDisplacedDropped>>(1);
  check_found<LoopBody<sched::WorkerLoopBatchDropped>>(1);
}

TEST_CASE("loop: no queue starves while others never become empty") {
  check_body<FairnessBody<>>({.quick = 3, .full = 4, .faults = 1}, {});
  check_found<FairnessBody<sched::WorkerLoopWithoutGlobalInterval>>(1);
  check_found<FairnessBody<sched::WorkerLoopWithoutLifoBound>>(1);
  check_found<FairnessBody<sched::WorkerLoopPinnedFirst>>(1);
  check_found<FairnessBody<sched::WorkerLoopPinnedLast>>(1);
  check_found<FairnessBody<sched::WorkerLoopUrgentLast>>(1);
  check_found<FairnessBody<sched::WorkerLoopWithoutIoTurn>>(1);
}

TEST_CASE("loop: heavy and light jobs get their shares while neither kind runs out") {
  check_body<HeavyShareBody<>>({.quick = 3, .full = 4, .faults = 1}, {});
  check_found<HeavyShareBody<sched::WorkerLoopHeavyNeverDue>>(1);
  check_found<HeavyShareBody<sched::WorkerLoopHeavyDueInNoTick>>(1);
  check_found<HeavyShareBody<sched::WorkerLoopDueTurnNotNoted>>(1);
}

TEST_CASE("loop: jobs that do not fit into the local queue get turns beside a global queue that is never empty") {
  check_body<OverflowBody>({.quick = 1, .full = 2, .faults = 1}, {});
}

TEST_CASE("loop: light jobs run before heavy ones, wherever they wait") {
  check_body<LightFirstBody<>>({.quick = 3, .full = 4, .faults = 1}, {});
  check_found<LightFirstBody<sched::WorkerLoopHeavyBeforeThefts>>(1);
  check_found<LightFirstBody<sched::WorkerLoopHeavyBeforeEvents>>(1);
  check_found<LightFirstBody<sched::WorkerLoopBacklogNotShown>>(1);
}

TEST_CASE("loop: a worker that has more to do before it parks looks for work again") {
  check_body<TrimBody<>>({.quick = 3, .full = 4, .faults = 1}, {});
  check_found<TrimBody<sched::WorkerLoopSleepsUnparked>>(1);
}

TEST_CASE("loop: the jobs of a stuck worker run elsewhere, each exactly once") {
  check_body<StuckWorkerBody<false>>({.quick = 2, .full = 3, .faults = 1}, {});
  check_body<StuckWorkerBody<true>>({.quick = 2, .full = 4, .faults = 1}, {});
  check_body<StuckWorkerBody<true, sched::WorkerLoop, 0>>({.quick = 2, .full = 4, .faults = 1}, {});
  check_body<StuckWorkerBody<true, sched::WorkerLoop, 6>>({.quick = 1, .full = 2, .faults = 1}, {});
  check_body<StuckWorkerBody<false, sched::WorkerLoop, 6>>({.quick = 1, .full = 2, .faults = 1}, {});
  check_found<StuckWorkerBody<true, sched::WorkerLoopStuckNotRescued, 0>>(1);
  check_found<StuckWorkerBody<true, sched::WorkerLoopLifoNotRescued>>(1);
  check_found<StuckWorkerBody<true, sched::WorkerLoopUrgentNotRescued>>(1);
  check_found<StuckWorkerBody<true, sched::WorkerLoopInboxNotRescued>>(1);
  check_found<StuckWorkerBody<true, sched::WorkerLoopQueueNotRescued>>(1);
}

TEST_CASE("rescue: nothing is handled twice or left unhandled") {
  check_body<RescueBody<>>({.quick = 3, .full = 4, .faults = 2}, kRescueFaults);
  check_found<RescueBody<RescueFault::no_look_under_lock>>(2);
  check_found<RescueBody<RescueFault::wake_not_given_back>>(2);
  check_found<RescueBody<RescueFault::none, sched::WorkerLoopInboxNotRechecked>>(2);
}

TEST_CASE("spare: the tasks that it hands over run, and the messages to it are handled before it ends") {
  check_body<HandOverBody<false>>({.quick = 1, .full = 2, .faults = 2}, kHandOverFaults);
  check_body<HandOverBody<true>>({.quick = 1, .full = 2, .faults = 2}, kStopFaults);
  check_found<HandOverBody<false, HandOverFault::ends_with_stream>>(1);
  check_found<HandOverBody<false, HandOverFault::no_wake_for_post>>(1);
  check_found<HandOverBody<false, HandOverFault::none, sched::SpareLoopWithoutNotify>>(1);
  check_found<HandOverBody<false, HandOverFault::none, sched::SpareLoopNotifyFirst>>(2);
  check_found<HandOverBody<false, HandOverFault::none, sched::SpareLoopHandsOverOnce>>(1);
}

TEST_CASE("spare: it sends home the streams that could not move at first, and ends") {
  check_body<SendHomeBody<>>({.quick = 2, .full = 3, .faults = 1}, {});
  check_found<SendHomeBody<sched::SpareLoopSendsHomeOnce>>(1);
}

TEST_SUITE_END();

}  // namespace volt::model
