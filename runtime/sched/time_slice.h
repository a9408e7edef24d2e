// SPDX-License-Identifier: MIT

// The time slice of a thread under the kernel's fair scheduling (EEVDF).
//
// Threads: any.
#pragma once

namespace volt::sched {

// Asks the kernel for the shortest slice for the calling thread. When a thread with a short slice wakes, it preempts
// threads with longer slices at once, as long as it has not used more than its share of the processor. Otherwise it
// waits until the running thread's slice of some milliseconds ends. Needs no privilege. The slice is sched_runtime of
// sched_setattr(2), which kernels before 6.12 ignore.
void request_short_time_slice() noexcept;

}  // namespace volt::sched
