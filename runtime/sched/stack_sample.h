// SPDX-License-Identifier: MIT

// StackSample: the functions that a worker's thread is in, taken by the thread itself in the handler of the rescue
// signal (rescue_signal.h) while it computes in a turn that the watchdog has asked about.
//
// The handler follows the frame pointers, with which Volt is compiled. It only reads memory between the thread's stack
// pointer and the end of its stack, so a function without frame pointers makes the sample short or wrong, but not the
// program. Rejected: backtrace(3), which may allocate and take locks.
//
// Threads: take() and walk() on the worker's thread, set_thread() there before it runs tasks; request() and get() on
// the watchdog's.
//
// Edges
//   X1  request() releases wanted_  ->  take() acquires : the watchdog uses the frames of the sample before no longer
//   X2  take() releases taken_      ->  get() acquires  : the frames are complete
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/atomic.h"

namespace volt::sched {

class StackSample {
 public:
  static constexpr std::size_t kFramesMax = 32;

  // Notes where the stack of the calling thread is.
  void set_thread() noexcept;
  // Writes the code addresses of the functions that the calling thread is in, the innermost first, and returns their
  // number. Must be called in a signal handler on this thread; `context` is its third argument.
  [[nodiscard]] std::size_t walk(const void* context, std::span<const void*> frames) const noexcept;
  // Wants a sample of the turn with this progress word. The caller must send the signal.
  void request(std::uint64_t progress) noexcept { wanted_.store(progress, base::release); }  // X1
  // Takes the sample if it is wanted. `context` is the third argument of the signal handler.
  void take(std::uint64_t progress, const void* context) noexcept;
  // Returns the code addresses of the turn's sample, the innermost first; none if there is no such sample. Valid until
  // the next request().
  [[nodiscard]] std::span<const void* const> get(std::uint64_t progress) const noexcept;

 private:
  std::uintptr_t stack_begin_ = 0;
  std::uintptr_t stack_end_ = 0;
  base::Atomic<std::uint64_t> wanted_{0};  // progress words are odd, so 0 is none
  base::Atomic<std::uint64_t> taken_{0};
  std::size_t count_ = 0;
  std::array<const void*, kFramesMax> frames_{};
};

}  // namespace volt::sched
