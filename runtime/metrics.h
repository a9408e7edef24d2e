// What the scheduler did since it started, worker by worker: plain numbers, read while it runs.
#pragma once

#include "runtime/sched/metrics.h"  // IWYU pragma: export
