// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include "tests/model/bodies/channel_body.h"
#include "tests/model/bodies/deadline_body.h"
#include "tests/model/bodies/fork_deque_body.h"
#include "tests/model/bodies/fork_join_body.h"
#include "tests/model/bodies/idle_body.h"
#include "tests/model/bodies/local_queue_body.h"
#include "tests/model/bodies/mutex_body.h"
#include "tests/model/bodies/oneshot_body.h"
#include "tests/model/bodies/rescue_body.h"
#include "tests/model/bodies/task_state_body.h"
#include "tests/model/bodies/watchdog_body.h"
#include "tests/model/explored.h"

namespace volt::model {
namespace {

using enum Operation;
using base::acquire;
using base::relaxed;
using base::release;

const std::vector<Fault> kQueueFaults = {
    {"try_push", load, relaxed},          // Q2
    {"try_push", store, relaxed},         // Q1
    {"pop", exchange, acquire},           // Q3
    {"claim_half", load, relaxed},        // Q1 Q3
    {"finish_steal", exchange, acquire},  // Q2
};

const std::vector<Fault> kIdleFaults = {
    {"claim_one", fence, relaxed},    // I1 I5
    {"park", fence, relaxed},         // I1
    {"stop_search", fence, relaxed},  // I5
    {"try_lock", exchange, relaxed},  // L1
    {"unlock", store, relaxed},       // L1
};

const std::vector<Fault> kTaskFaults = {
    {"start_wait", exchange, acquire},      // R1
    {"report", exchange, release},          // R1
    {"end_run", exchange, acquire},         // S1
    {"end_run", exchange, release},         // S1
    {"wake", exchange, acquire},            // S1
    {"wake", exchange, release},            // S1
    {"release_claim", exchange, acquire},   // S1
    {"release_claim", exchange, release},   // S1
    {"done", load, relaxed},                // S2
    {"start_join", exchange, acquire},      // S2
    {"complete", exchange, acquire},        // S2
    {"complete", exchange, release},        // S2
    {"drop_reference", load, relaxed},      // S3
    {"drop_reference", exchange, acquire},  // S3 R3
    {"drop_reference", exchange, release},  // S3 R3
};

const std::vector<Fault> kRescueFaults = {
    {"claim", fence, relaxed},        // I1
    {"park", fence, relaxed},         // I1
    {"try_lock", exchange, relaxed},  // L1
    {"unlock", store, relaxed},       // L1
};

const std::vector<Fault> kWatchdogFaults = {
    {"activity", exchange, acquire},     // G1
    {"fall_asleep", exchange, release},  // G1
};

const std::vector<Fault> kDeadlineFaults = {
    {"start_wait", exchange, release},  // R1
    {"stop_wait", exchange, acquire},   // R1
};

const std::vector<Fault> kMovedDeadlineFaults = {
    {"move", store, release},               // T1
    {"move", load, acquire},                // T1
    {"agree_on_deadline", store, release},  // T1
    {"agree_on_deadline", load, acquire},   // T1
};

// D2 is an edge against load buffering, which the explorer does not model.
const std::vector<Fault> kForkDequeFaults = {
    {"push", store, relaxed},       // D1
    {"take_back", store, relaxed},  // D1
    {"steal", load, relaxed},       // D1
    {"fence", fence, relaxed},      // D3
};

const std::vector<Fault> kForkJoinFaults = {
    {"push", store, relaxed},       // D1
    {"fence", fence, relaxed},      // J3
    {"end", load, relaxed},         // J1
    {"end_as", exchange, acquire},  // J1
};

// The edges on which everything that waits in queues under a lock, and wakes, depends.
const std::vector<Fault> kWaitingFaults = {
    {"try_lock", exchange, relaxed},        // L1
    {"unlock", store, relaxed},             // L1
    {"end_run", exchange, acquire},         // S1
    {"end_run", exchange, release},         // S1
    {"wake", exchange, acquire},            // S1
    {"drop_reference", load, relaxed},      // S3
    {"drop_reference", exchange, acquire},  // S3
    {"drop_reference", exchange, release},  // S3
};

const std::vector<Fault> kOneshotCancelFaults = {
    {"finish", exchange, acquire},      // O1
    {"finish", exchange, release},      // O2
    {"start_wait", exchange, acquire},  // O2
    {"start_wait", exchange, release},  // O1
    {"finished", load, relaxed},        // O1
    {"end_run", exchange, acquire},     // S1
    {"end_run", exchange, release},     // S1
};

const std::vector<Fault> kOneshotEndsFaults = {
    {"finish", exchange, acquire},         // O1
    {"finish", exchange, release},         // O3
    {"drop_receiver", exchange, acquire},  // O3
    {"drop_receiver", exchange, release},  // O1
};

const std::vector<Fault> kOneshotSelectFaults = {
    {"finish", exchange, acquire},      // O1
    {"start_wait", exchange, acquire},  // O2
    {"tell", exchange, acquire},        // O4
    {"await_told", load, relaxed},      // O4
};

}  // namespace

TEST_SUITE_BEGIN("model");

TEST_CASE("local queue: each item is taken exactly once") {
  check_body<LocalQueueBody>({.quick = 2, .full = 4, .faults = 2}, kQueueFaults);
}

TEST_CASE("fork deque: each job is taken exactly once") {
  check_body<ForkDequeBody>({.quick = 2, .full = 4, .faults = 2}, kForkDequeFaults);
}

TEST_CASE("fork and join: a forker helps its thief with parts of its own job only, and is woken for them") {
  check_body<ForkJoinBody<>>({.quick = 3, .full = 5, .faults = 2}, kForkJoinFaults);
  check_found<ForkJoinBody<ForkFault::no_look_after_announcing>>(2);
  check_found<ForkJoinBody<ForkFault::no_fence_after_push>>(2);
  check_found<ForkJoinBody<ForkFault::foreign_part_run>>(2);
}

TEST_CASE("idle protocol: no job waits in the queue while a worker sleeps") {
  check_body<IdleBody<>>({.quick = 2, .full = 3, .faults = 1}, kIdleFaults);
  check_found<IdleBody<IdleFault::no_recheck>>(1);
  check_found<IdleBody<IdleFault::recheck_before_park>>(1);
  check_found<IdleBody<IdleFault::searcher_says_nothing>>(1);
  check_found<IdleBody<IdleFault::duty_dropped>>(1);
}

TEST_CASE("task state: a wake leads to a run, and no thread uses a destroyed task") {
  check_body<TaskStateBody>({.quick = 2, .full = 4, .faults = 2}, kTaskFaults);
}

TEST_CASE("rescue: nothing is handled twice or left unhandled") {
  check_body<RescueBody<>>({.quick = 3, .full = 4, .faults = 2}, kRescueFaults);
  check_found<RescueBody<RescueFault::no_look_under_lock>>(2);
  check_found<RescueBody<RescueFault::wake_not_given_back>>(2);
  check_found<RescueBody<RescueFault::no_recheck>>(2);
}

TEST_CASE("watchdog: no worker runs while it sleeps") {
  check_body<WatchdogBody<>>({.quick = 3, .full = 20, .faults = 2}, kWatchdogFaults);
  check_found<WatchdogBody<WatchdogFault::no_look_at_workers>>(2);
  check_found<WatchdogBody<WatchdogFault::no_activity>>(2);
}

TEST_CASE("deadline: a wait ends at its deadline, neither before nor never") {
  check_body<DeadlineBody<false>>({.quick = 3, .full = 20, .faults = 2}, kDeadlineFaults);
  check_found<DeadlineBody<false, DeadlineFault::no_look_at_timer>>(2);
  check_body<DeadlineBody<true>>({.quick = 3, .full = 20, .faults = 3}, kMovedDeadlineFaults);
  check_found<DeadlineBody<true, DeadlineFault::no_look_at_clock>>(3);
}

TEST_CASE("mutex: one task at a time holds it, and none keeps it") {
  check_body<MutexBody>({.quick = 3, .full = 6, .faults = 2}, kWaitingFaults);
}

TEST_CASE("channel: each value is received exactly once") {
  check_body<ChannelBody>({.quick = 1, .full = 3, .faults = 1}, kWaitingFaults);
}

TEST_CASE("oneshot: a value is received once or is still there") {
  check_body<OneshotCancelBody>({.quick = 3, .full = 20, .faults = 2}, kOneshotCancelFaults);
  check_body<OneshotEndsBody>({.quick = 3, .full = 20, .faults = 2}, kOneshotEndsFaults);
  check_body<OneshotSelectBody>({.quick = 3, .full = 20, .faults = 2}, kOneshotSelectFaults);
}

TEST_SUITE_END();

}  // namespace volt::model
