// SPDX-License-Identifier: MIT

// Metrics of the scheduler: counters for each worker since the start, read while the scheduler runs.
#pragma once

#include "runtime/sched/metrics.h"  // IWYU pragma: export
