// SPDX-License-Identifier: MIT

// The atomics that all shared state is built on. The only file that includes <atomic>.
//
// A model checker can replace the declarations of this header: a build with VOLT_ATOMICS="its header" takes Atomic,
// RealAtomics and spin_pause from that header (tests/model/). So the checker runs the source that ships, including its
// locks, queues, waiters and tasks. Rejected: an atomics parameter on each of those types. The parameter would appear
// in every signature down to Mutex, and a type that forgot to pass it on would silently escape the checker. Only the
// smallest types have such a parameter (`RealAtomics` by default), for tests that inspect one of them.
#pragma once

#include <atomic>
#include <cstdint>

namespace volt::base {

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

}  // namespace volt::base

#ifdef VOLT_ATOMICS
#include VOLT_ATOMICS
#else

namespace volt::base {

template <class T>
using Atomic = std::atomic<T>;

#if defined(__SANITIZE_THREAD__)
#define VOLT_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define VOLT_THREAD_SANITIZER 1
#endif
#endif

// The operations that a lock-free type needs from the machine.
struct RealAtomics {
  template <class T>
  using Atomic = std::atomic<T>;

  // Orders every earlier access of this thread before every later one (seq_cst). Thread sanitizers cannot see fences,
  // so under TSan the fence is a read-modify-write of `word`. Threads whose fences order accesses between them must
  // therefore pass the same word.
  static void full_fence(Atomic<std::uint64_t>& word) noexcept {
#ifdef VOLT_THREAD_SANITIZER
    word.fetch_add(0, seq_cst);
#elif defined(__x86_64__)
    // This is the instruction that g++ emits for the fence in the #else branch. clang emits mfence for that fence,
    // which was measured to be slower.
    static_cast<void>(word);
    asm volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
#else
    static_cast<void>(word);
    std::atomic_thread_fence(seq_cst);
#endif
  }
};

// Keeps the compiler from moving accesses of this thread across it, as far as a signal handler of this thread can see.
inline void signal_fence() noexcept { std::atomic_signal_fence(seq_cst); }

// Tells the processor that the thread is in a short spin loop.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // Not `yield`: most processors execute it as a no-op, but loops of the scheduler measure time in pauses. `isb` waits
  // until the pipeline is empty, and so takes time as an x86 pause does.
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace volt::base

#endif
