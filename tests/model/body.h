// SPDX-License-Identifier: MIT

// Body: a few threads that use production code together, and the conditions that must hold for every interleaving. The
// same source is explored (explorer/explorer.h, compiled with VOLT_ATOMICS) and runs on real threads (stress/, also
// under the thread sanitizer).
//
// A body is small: two to four threads, a dozen operations each. It is constructed and finished on one thread.
#pragma once

#include "runtime/base/atomic.h"

namespace volt::model {

class Body {
 public:
  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  virtual ~Body() = default;

  // Runs the part of thread `index`.
  virtual void thread(unsigned index) = 0;
  // Called when all threads have ended.
  virtual void finish() {}
};

// Ends the execution as a failure unless `fact` is true.
void require(bool fact, const char* what) noexcept;

// Lets the other threads run; called in a loop that waits. Under the explorer the thread continues when the atomic that
// it read last has changed. A thread that would wait forever is a deadlock.
void pause() noexcept;

// A signal on which a thread sleeps: the kernel's part (an eventfd, a ring's completion).
class Event {
 public:
  // Signals without ordering memory: a waker that relies on a protocol of atomics must get its ordering from them.
  void signal() noexcept { signalled_.exchange(1, base::relaxed); }
  // Signals as a system call does: the waker's earlier writes are visible to the woken thread.
  void signal_in_order() noexcept { signalled_.exchange(1, base::release); }
  void wait() noexcept {
    while (signalled_.exchange(0, base::acquire) == 0) pause();
  }

 private:
  base::Atomic<std::uint32_t> signalled_{0};
};

}  // namespace volt::model
