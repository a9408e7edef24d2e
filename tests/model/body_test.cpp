// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>
#include <mutants.h>

#include "tests/model/bodies/barrier_body.h"
#include "tests/model/bodies/broadcast_body.h"
#include "tests/model/bodies/channel_body.h"
#include "tests/model/bodies/children_body.h"
#include "tests/model/bodies/deadline_body.h"
#include "tests/model/bodies/fork_deque_body.h"
#include "tests/model/bodies/fork_join_body.h"
#include "tests/model/bodies/frame_pool_body.h"
#include "tests/model/bodies/global_queue_body.h"
#include "tests/model/bodies/inspection_body.h"
#include "tests/model/bodies/lifo_slot_body.h"
#include "tests/model/bodies/local_queue_body.h"
#include "tests/model/bodies/moving_source_body.h"
#include "tests/model/bodies/mutex_body.h"
#include "tests/model/bodies/notify_all_body.h"
#include "tests/model/bodies/notify_body.h"
#include "tests/model/bodies/once_cell_body.h"
#include "tests/model/bodies/oneshot_body.h"
#include "tests/model/bodies/published_array_body.h"
#include "tests/model/bodies/rw_lock_body.h"
#include "tests/model/bodies/semaphore_body.h"
#include "tests/model/bodies/shared_frame_pool_body.h"
#include "tests/model/bodies/shielded_scope_body.h"
#include "tests/model/bodies/spare_duty_body.h"
#include "tests/model/bodies/spare_rest_body.h"
#include "tests/model/bodies/stuck_workers_body.h"
#include "tests/model/bodies/task_state_body.h"
#include "tests/model/bodies/timers_body.h"
#include "tests/model/bodies/turn_record_body.h"
#include "tests/model/bodies/watch_body.h"
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

const std::vector<Fault> kLifoFaults = {
    {"try_put", store, relaxed},  // W1
    {"put", exchange, relaxed},   // W1
    {"take", exchange, release},  // W1
};

const std::vector<Fault> kTurnFaults = {
    {"begin", store, relaxed},      // W2
    {"set_class", store, relaxed},  // W2
    {"advance", store, relaxed},    // W3
    {"turn", load, relaxed},        // W2 W3
};

const std::vector<Fault> kTaskFaults = {
    {"start_wait", exchange, acquire},      // R1
    {"report", exchange, release},          // R1
    {"end_run", exchange, acquire},         // S1
    {"end_run", exchange, release},         // S1
    {"wake", exchange, acquire},            // S1
    {"wake", exchange, release},            // S1
    {"end_delivery", exchange, acquire},    // S1
    {"end_delivery", exchange, release},    // S1
    {"done", load, relaxed},                // S2
    {"start_join", exchange, acquire},      // S2
    {"complete", exchange, acquire},        // S2
    {"complete", exchange, release},        // S2
    {"drop_reference", load, relaxed},      // S3
    {"drop_reference", exchange, acquire},  // S3 R3
    {"drop_reference", exchange, release},  // S3 R3
};

const std::vector<Fault> kInspectionFaults = {
    {"try_claim", exchange, release},  // S1
    {"end_run", exchange, acquire},    // S1
    {"end_run", exchange, release},    // S1
    {"wake", exchange, acquire},       // S1
    {"wake", exchange, release},       // S1
};

const std::vector<Fault> kShieldFaults = {
    {"begin_delivery", exchange, release},        // S1
    {"request_scope_cancel", exchange, acquire},  // S1
};

const std::vector<Fault> kWatchdogFaults = {
    {"activity", exchange, acquire},     // G1
    {"fall_asleep", exchange, release},  // G1
};

const std::vector<Fault> kStuckWorkersFaults = {
    {"add", exchange, relaxed},     // Y1
    {"remove", exchange, relaxed},  // Y1
};

const std::vector<Fault> kRestFaults = {
    {"note_left", exchange, acquire},  // S3
    {"at_rest", load, relaxed},        // S3
};

const std::vector<Fault> kPublicationFaults = {
    {"publish", store, relaxed},   // A1
    {"published", load, relaxed},  // A1
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

const std::vector<Fault> kFramePoolFaults = {
    {"push_returned", exchange, relaxed},     // F1
    {"take_returned", exchange, relaxed},     // F1
    {"hold_free_blocks", exchange, relaxed},  // F1
};

const std::vector<Fault> kSpinLockFaults = {
    {"try_lock", exchange, relaxed},  // L1
    {"unlock", store, relaxed},       // L1
};

const std::vector<Fault> kWatchFaults = {
    {"operator()", store, relaxed},         // V1 (in send and drop_sender)
    {"version", load, relaxed},             // V1
    {"try_lock", exchange, relaxed},        // L1
    {"unlock", store, relaxed},             // L1
    {"end_run", exchange, release},         // S1
    {"wake", exchange, acquire},            // S1
    {"drop_reference", load, relaxed},      // S3
    {"drop_reference", exchange, acquire},  // S3
    {"drop_reference", exchange, release},  // S3
};

const std::vector<Fault> kBroadcastFaults = {
    {"try_lock", exchange, relaxed},        // L1
    {"unlock", store, relaxed},             // L1
    {"end_run", exchange, release},         // S1
    {"wake", exchange, acquire},            // S1
    {"drop_reference", load, relaxed},      // S3
    {"drop_reference", exchange, acquire},  // S3
    {"drop_reference", exchange, release},  // S3
};

const std::vector<Fault> kMovingFaults = {
    {"try_lock", exchange, relaxed},        // L1
    {"unlock", store, relaxed},             // L1
    {"set_leaving", store, relaxed},        // R5
    {"leaving", load, relaxed},             // R5
    {"start_wait", exchange, acquire},      // R1
    {"report", exchange, release},          // R1
    {"drop_reference", exchange, acquire},  // R3
    {"drop_reference", exchange, release},  // R3
};

// D2 is an edge against load buffering, which the explorer does not model.
const std::vector<Fault> kForkDequeFaults = {
    {"push", store, relaxed},       // D1
    {"take_back", store, relaxed},  // D1
    {"steal", load, relaxed},       // D1
    {"fence", fence, relaxed},      // D3
};

const std::vector<Fault> kStolenChildFaults = {
    {"push", store, relaxed},         // D1
    {"steal", load, relaxed},         // D1
    {"try_lock", exchange, relaxed},  // L1
    {"unlock", store, relaxed},       // L1
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

TEST_CASE("LIFO slot: each task is taken exactly once, by its worker or by a rescuer") {
  check_body<LifoSlotBody<>>({.quick = 3, .full = 20, .faults = 2}, kLifoFaults);
  check_found<LifoSlotBody<LifoFault::displaced_dropped>>(2);
  check_found<LifoSlotBody<LifoFault::looks_before_taking>>(2);
}

TEST_CASE("turn record: the task and the class that another thread reads belong to one turn") {
  check_body<TurnRecordBody>({.quick = 4, .full = 20, .faults = 4}, kTurnFaults);
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

TEST_CASE("task state: a wake leads to a run, and no thread uses a destroyed task") {
  check_body<TaskStateBody>({.quick = 2, .full = 4, .faults = 2}, kTaskFaults);
}

TEST_CASE("task state: an inspection loses no wake and no cancel, and reads no task that runs") {
  check_body<InspectionBody<true>>({.quick = 2, .full = 4, .faults = 2}, kInspectionFaults);
  check_body<InspectionBody<false>>({.quick = 3, .full = 20, .faults = 2}, {});
  check_found<InspectionBody<true, InspectionFault::wake_forgotten>>(2);
  check_found<InspectionBody<false, InspectionFault::cancel_forgotten>>(2);
  check_found<InspectionBody<true, InspectionFault::no_claim>>(2);
  check_found<InspectionBody<true, InspectionFault::no_reference>>(2);
}

TEST_CASE("task state: of two cancels, one of which a shield holds back, the other is delivered") {
  check_body<ShieldedScopeBody<>>({.quick = 3, .full = 4, .faults = 2}, kShieldFaults);
  check_found<ShieldedScopeBody<ShieldFault::request_forgotten>>(2);
}

TEST_CASE("watchdog: no worker runs while it sleeps") {
  check_body<WatchdogBody<>>({.quick = 3, .full = 20, .faults = 2}, kWatchdogFaults);
  check_found<WatchdogBody<WatchdogFault::no_look_at_workers>>(2);
  check_found<WatchdogBody<WatchdogFault::no_activity>>(2);
  check_found<WatchdogBody<WatchdogFault::no_lock_before_wake>>(2);
}

TEST_CASE("watchdog: a worker that blocks is announced until a sample finds it") {
  check_body<StuckWorkersBody<>>({.quick = 3, .full = 20, .faults = 2}, kStuckWorkersFaults);
  check_found<StuckWorkersBody<sched::StuckWorkersLooksOnce>>(2);
}

TEST_CASE("watchdog: it ends when it is stopped, also while it falls asleep") {
  check_body<WatchdogBody<WatchdogFault::none, true>>({.quick = 3, .full = 20, .faults = 2}, {});
  check_found<WatchdogBody<WatchdogFault::stopped_without_lock, true>>(2);
}

TEST_CASE("spare: it has one thread at a time, which does not sleep or end while it has the duty to serve") {
  check_body<SpareDutyBody<false>>({.quick = 4, .full = 20, .faults = 2}, {});
  check_body<SpareDutyBody<true>>({.quick = 4, .full = 20, .faults = 2}, {});
  check_found<SpareDutyBody<true, DutyFault::no_wake>>(2);
  check_found<SpareDutyBody<true, DutyFault::wake_first>>(2);
  check_found<SpareDutyBody<false, DutyFault::no_join>>(2);
  check_found<SpareDutyBody<false, DutyFault::ends_when_left>>(2);
  check_found<SpareDutyBody<false, DutyFault::no_wake_at_stop>>(2);
}

TEST_CASE("spare: it runs no task while the watchdog sleeps") {
  check_body<SpareRestBody<>>({.quick = 4, .full = 20, .faults = 2}, kRestFaults);
  check_found<SpareRestBody<RestFault::sleeps_when_none_serves>>(2);
  check_found<SpareRestBody<RestFault::left_before_tick_ends>>(3);
}

TEST_CASE("spare: it is filled in when other threads can see it") {
  check_body<PublishedArrayBody<>>({.quick = 4, .full = 20, .faults = 2}, kPublicationFaults);
  check_found<PublishedArrayBody<PublicationFault::published_first>>(2);
}

TEST_CASE("deadline: a wait ends at its deadline, neither before nor never") {
  check_body<DeadlineBody<false>>({.quick = 3, .full = 20, .faults = 2}, kDeadlineFaults);
  check_found<DeadlineBody<false, DeadlineFault::no_look_at_timer>>(2);
  check_body<DeadlineBody<true>>({.quick = 3, .full = 20, .faults = 3}, kMovedDeadlineFaults);
  check_found<DeadlineBody<true, DeadlineFault::no_look_at_clock>>(3);
}

TEST_CASE("frame pool: a block that another thread frees is handed out again once, and none is lost") {
  check_body<FramePoolBody<>>({.quick = 3, .full = 20, .faults = 2}, kFramePoolFaults);
  check_found<FramePoolBody<FrameFault::no_flush>>(2);
  check_found<FramePoolBody<FrameFault::stale_pool>>(2);
}

TEST_CASE("frame pool: threads without a pool share one, and workers return its blocks") {
  check_body<SharedFramePoolBody<>>({.quick = 2, .full = 4, .faults = 2}, kSpinLockFaults);
  check_found<SharedFramePoolBody<SharedFrameFault::used_as_own>>(2);
}

TEST_CASE("global queue: each item leaves once, and those of a thread in order") {
  check_body<GlobalQueueBody>({.quick = 2, .full = 4, .faults = 2}, kSpinLockFaults);
}

TEST_CASE("timers: a sleep ends once, whether its worker, a rescuer or a cancel ends it") {
  check_body<TimersBody<>>({.quick = 2, .full = 3, .faults = 2}, kSpinLockFaults);
  check_found<TimersBody<TimersFault::cancels_after_fire>>(2);
  check_found<TimersBody<TimersFault::trusts_filed>>(2);
}

TEST_CASE("source: it moves between workers without losing an edge, and is deleted once") {
  check_body<MovingSourceBody<>>({.quick = 1, .full = 2, .faults = 1}, kMovingFaults);
  check_found<MovingSourceBody<MoveFault::moves_while_leaving>>(1);
  check_found<MovingSourceBody<MoveFault::no_reference>>(1);
  check_found<MovingSourceBody<MoveFault::left_too_early>>(1);
  check_found<MovingSourceBody<MoveFault::unwatched_first>>(1);
}

TEST_CASE("all: a child that another thread may take runs once, and its value is returned") {
  check_body<StolenChildBody>({.quick = 2, .full = 4, .faults = 2}, kStolenChildFaults);
}

TEST_CASE("all: a child that waits makes a task of the next one, whose failure ends the wait") {
  check_body<WaitingChildBody<>>({.quick = 2, .full = 4, .faults = 2}, kWaitingFaults);
  check_found<WaitingChildBody<ChildrenFault::not_handed_over>>(2);
}

TEST_CASE("mutex: one task at a time holds it, and none keeps it") {
  check_body<MutexBody>({.quick = 3, .full = 6, .faults = 2}, kWaitingFaults);
}

TEST_CASE("channel: each value is received exactly once") {
  check_body<ChannelBody>({.quick = 1, .full = 3, .faults = 1}, kWaitingFaults);
}

TEST_CASE("notify: a notification reaches a task that waits on") {
  check_body<NotifyBody>({.quick = 2, .full = 4, .faults = 2}, kWaitingFaults);
}

TEST_CASE("notify: all tasks that wait are notified") {
  check_body<NotifyAllBody>({.quick = 2, .full = 4, .faults = 2}, kWaitingFaults);
}

TEST_CASE("barrier: a round ends when all have arrived, and a cancelled arrival is taken back only from its round") {
  check_body<BarrierBody>({.quick = 2, .full = 3, .faults = 2}, kWaitingFaults);
}

TEST_CASE("broadcast: a subscriber receives or misses each value, the last one before the end") {
  check_body<BroadcastBody>({.quick = 1, .full = 3, .faults = 2}, kBroadcastFaults);
}

TEST_CASE("semaphore: permits are granted at most once, and all come back") {
  check_body<SemaphoreBody>({.quick = 2, .full = 4, .faults = 2}, kWaitingFaults);
}

TEST_CASE("rw_lock: a reader behind a writer that is cancelled reads") {
  check_body<RwLockBody>({.quick = 2, .full = 3, .faults = 2}, kWaitingFaults);
}

TEST_CASE("watch: a receiver sees the last value and the end") {
  check_body<WatchBody>({.quick = 1, .full = 3, .faults = 2}, kWatchFaults);
}

TEST_CASE("once_cell: a value is created once") {
  std::vector<Fault> faults = kWaitingFaults;
  faults.insert(faults.end(), {{"emplace", store, relaxed}, {"get", load, relaxed}});  // O1
  check_body<OnceCellBody>({.quick = 2, .full = 4, .faults = 2}, faults);
}

TEST_CASE("oneshot: a value is received once or is still there") {
  check_body<OneshotCancelBody>({.quick = 3, .full = 20, .faults = 2}, kOneshotCancelFaults);
  check_body<OneshotEndsBody>({.quick = 3, .full = 20, .faults = 2}, kOneshotEndsFaults);
  check_body<OneshotSelectBody>({.quick = 3, .full = 20, .faults = 2}, kOneshotSelectFaults);
}

TEST_SUITE_END();

}  // namespace volt::model
