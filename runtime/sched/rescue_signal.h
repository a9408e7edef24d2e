// SPDX-License-Identifier: MIT

// RescueSignal: the signal that interrupts a worker's thread that computes, so that the completions of its ring become
// visible to a rescuer (watchdog.h). docs/scheduler.md describes what a program has to know about it. The timers of a
// processor profile send it as well (profiler.h).
//
// The handler calls the handler that the program had installed before, for each signal that Volt did not send. The
// earlier handler is restored when the last scheduler that uses the signal has stopped.
//
// Threads: install() and remove() belong to the scheduler's creator; any thread may call the rest.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <string>

#include "runtime/base/result.h"

namespace volt::sched {

class RescueSignal {
 public:
  // A function that runs in the handler, on the interrupted thread, with the third argument of the handler.
  using OnSignal = void (*)(const void* context) noexcept;
  // 0: no signal. `on_timer` runs if a timer has sent the signal, `on_signal` if another thread has.
  RescueSignal(int number, OnSignal on_signal, OnSignal on_timer) noexcept
      : number_(number), on_signal_(on_signal), on_timer_(on_timer) {}

  [[nodiscard]] bool enabled() const noexcept { return number_ != 0; }
  void install() noexcept;
  void remove() noexcept;

  // Lets the calling thread receive the signal, whatever mask it has inherited.
  void unblock() const noexcept;
  // Interrupts the thread. The parameter is the kernel's thread id, not a pthread_t: the thread may have ended, and a
  // pthread_t must not be used then.
  void send(pid_t thread) const noexcept;

  // Starts a timer that interrupts the thread whenever it has used that much processor time again. The caller must
  // delete the timer, after which one last signal may come. Errors: those of timer_create(2); invalid_argument if there
  // is no such thread.
  [[nodiscard]] Result<timer_t> send_periodically(pid_t thread, std::chrono::nanoseconds interval) const noexcept;

  // Returns why the thread cannot be interrupted, as a sentence; empty if no reason was found. Reads /proc.
  [[nodiscard]] std::string obstacle(pid_t thread) const;

 private:
  const int number_;
  const OnSignal on_signal_;
  const OnSignal on_timer_;
};

}  // namespace volt::sched
