// The seam for everything that two threads share: the only include of <atomic>.
//
// A model checker stands in for the hardware by replacing this header's words: a build with VOLT_ATOMICS="its header"
// takes Atomic, RealAtomics and spin_pause from there (tests/model/). So what is checked is the source that ships,
// with its locks, queues, waiters and tasks. Rejected: an atomics parameter on each of those types. It would go
// through every signature down to Mutex, and a type that forgot to pass it on would be left out in silence. The
// parameter that the smallest types have (`RealAtomics` by default) is for tests that want to look into one of them.
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

// What a lock-free type needs from the machine.
struct RealAtomics {
  template <class T>
  using Atomic = std::atomic<T>;

  // Orders every earlier access of this thread before every later one (seq_cst). `word` is the shared word that the
  // later access looks at: thread sanitizers cannot see fences, so under TSan this is a read-modify-write of it.
  static void full_fence(Atomic<std::uint64_t>& word) noexcept {
#ifdef VOLT_THREAD_SANITIZER
    word.fetch_add(0, seq_cst);
#elif defined(__x86_64__)
    // As g++ has it for the fence below: clang's mfence waits for more, and takes twice the time.
    static_cast<void>(word);
    asm volatile("lock orq $0, (%%rsp)" ::: "memory", "cc");
#else
    static_cast<void>(word);
    std::atomic_thread_fence(seq_cst);
#endif
  }
};

// A hint to the processor inside a short spin.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace volt::base

#endif
