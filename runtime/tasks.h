// SPDX-License-Identifier: MIT

// Task reports: the state of the tasks of a runtime, for reports and for finding a task that hangs.
//
// Threads: any. A report is collected while the runtime runs, so its entries may describe slightly different moments.
#pragma once

#include "runtime/sched/tasks.h"  // IWYU pragma: export
