// A body: a few threads that use production code together, and what must hold whatever they do to each other. The same
// source is explored (explorer/explorer.h, where it is compiled with VOLT_ATOMICS) and runs on real threads
// (stress/, under the thread sanitizer too).
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

  // What thread `index` does.
  virtual void thread(unsigned index) = 0;
  // All threads have ended.
  virtual void finish() {}
};

// Ends the execution as a failure unless `fact`.
void require(bool fact, const char* what) noexcept;

// In a loop that waits: lets the others run. Under the explorer the thread goes on when the atomic that it looked at
// last has changed; a thread that would wait for ever is a deadlock.
void pause() noexcept;

// A thread sleeps until somebody signals: the kernel's part (an eventfd, a ring's completion).
class Event {
 public:
  // Orders nothing: whoever wakes by a protocol of atomics must find the order there.
  void signal() noexcept { signalled_.exchange(1, base::relaxed); }
  // As a system call does: the woken sees what was done before.
  void signal_in_order() noexcept { signalled_.exchange(1, base::release); }
  void wait() noexcept {
    while (signalled_.exchange(0, base::acquire) == 0) pause();
  }

 private:
  base::Atomic<std::uint32_t> signalled_{0};
};

}  // namespace volt::model
