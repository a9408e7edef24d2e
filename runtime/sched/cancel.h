// SPDX-License-Identifier: MIT

// Cancelled: the exception that unwinds a cancelled task.
//
// Cancelling a task ends the await that the task is in: the operation is cancelled, its completion is awaited, and then
// the await throws Cancelled. Every later await of that task throws Cancelled, too, until the task has unwound.
// Cancelled is not derived from std::exception, so that a handler that turns errors into responses does not mistake a
// cancellation for an error.
#pragma once

namespace volt {

struct Cancelled {};

}  // namespace volt
