// SPDX-License-Identifier: MIT

// Task reports: the state of the tasks of a runtime, for reports and for finding a task that hangs or keeps its worker.
//
// Threads: any. A report is collected while the runtime runs, so its entries may describe slightly different moments.
#pragma once

#include "runtime/sched/stall.h"  // IWYU pragma: export
#include "runtime/sched/tasks.h"  // IWYU pragma: export
