// Cancelled: how a cancelled task unwinds.
//
// Cancelling a task reaches the await that it is in: the operation is cancelled, its completion is awaited, and then
// the await throws Cancelled. So does every later await of that task, until it has unwound. Not derived from
// std::exception: a handler that turns errors into answers must not mistake it for one.
#pragma once

#include "runtime/sched/cancel.h"  // IWYU pragma: export
