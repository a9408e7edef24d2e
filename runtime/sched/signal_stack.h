// SPDX-License-Identifier: MIT

// SignalStack: a separate stack for the signal handlers of the calling thread, so that an overflow of the thread's
// stack can be reported. A thread that already has such a stack, for example from a sanitizer, keeps it.
//
// Threads: created and destroyed by the same thread. Memory: 64 KiB of address space; only what a handler uses is
// resident.
#pragma once

namespace volt::sched {

class SignalStack {
 public:
  SignalStack() noexcept;
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace volt::sched
