// SPDX-License-Identifier: MIT

// Cancelled: the exception that unwinds a cancelled task.
//
// Cancelling a task reaches its current await: the operation is cancelled, its completion is awaited, and then the
// await throws Cancelled. Every later await of the task throws Cancelled too, until the task has unwound. Cancelled is
// not derived from std::exception, so that a handler that turns errors into responses does not mistake it for an error.
#pragma once

#include "runtime/sched/cancel.h"  // IWYU pragma: export
