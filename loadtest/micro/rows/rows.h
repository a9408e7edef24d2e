// SPDX-License-Identifier: MIT

// The rows: each function measures one row once and adds its figures.
// Threads: called from a thread that is not a worker of the runtime.
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

void all_fib(volt::Runtime& runtime, Figures& figures);
void spawn_fib(volt::Runtime& runtime, Figures& figures);

// Both also add the bytes per task at the first call. Later calls, also of the other function, would reuse memory; so
// only one of the two may run in a process that measures memory.
void parked(volt::Runtime& runtime, Figures& figures);
void parked_notify(volt::Runtime& runtime, Figures& figures);

}  // namespace rows
