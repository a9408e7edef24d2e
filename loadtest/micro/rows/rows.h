// The rows: each measures one shape once and adds its figures. `workers` and the engine are the runtime's.
// Called from a thread that is none of the runtime's workers.
#pragma once

#include "loadtest/micro/rows/figures.h"
#include "runtime/runtime.h"

namespace rows {

void spawn_local_many(volt::Runtime& runtime, Figures& figures);
void spawn_remote_many(volt::Runtime& runtime, Figures& figures);
void yield_many(volt::Runtime& runtime, Figures& figures);
void ping_pong(volt::Runtime& runtime, Figures& figures);
void chained_spawn(volt::Runtime& runtime, Figures& figures);

void oneshot_wake(volt::Runtime& runtime, Figures& figures);
void idle_to_run(volt::Runtime& runtime, Figures& figures);

void timer_create_cancel(volt::Runtime& runtime, Figures& figures);
void timer_fire(volt::Runtime& runtime, Figures& figures);
void timer_idle(volt::Runtime& runtime, Figures& figures);
void timer_load(volt::Runtime& runtime, Figures& figures);

void mpsc_1p1c(volt::Runtime& runtime, Figures& figures);
void mpsc_4p1c(volt::Runtime& runtime, Figures& figures);
void mpmc_4p4c(volt::Runtime& runtime, Figures& figures);
void round_trip(volt::Runtime& runtime, Figures& figures);
void oneshot_value(volt::Runtime& runtime, Figures& figures);
void broadcast(volt::Runtime& runtime, Figures& figures);
void watch(volt::Runtime& runtime, Figures& figures);

void mutex_8(volt::Runtime& runtime, Figures& figures);
void rwlock_8(volt::Runtime& runtime, Figures& figures);
void semaphore_8(volt::Runtime& runtime, Figures& figures);
void barrier_8(volt::Runtime& runtime, Figures& figures);
void notify(volt::Runtime& runtime, Figures& figures);
void once(volt::Runtime& runtime, Figures& figures);

void fork_fib(volt::Runtime& runtime, Figures& figures);
void fork_skynet(volt::Runtime& runtime, Figures& figures);
void fork_pair(volt::Runtime& runtime, Figures& figures);

// Each adds its bytes a task, too, the first time it is called: later the process has memory to reuse. So does the other.
void parked(volt::Runtime& runtime, Figures& figures);
void parked_notify(volt::Runtime& runtime, Figures& figures);

}  // namespace rows
