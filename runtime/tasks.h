// What the tasks of a runtime do at the moment: for reports, and for whoever looks for the one that hangs.
//
// Threads: any. A report is put together while the runtime goes on: each line was true a moment ago.
#pragma once

#include "runtime/sched/tasks.h"  // IWYU pragma: export
