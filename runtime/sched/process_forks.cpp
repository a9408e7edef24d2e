// SPDX-License-Identifier: MIT

#include "runtime/sched/process_forks.h"

#include <pthread.h>

#include "runtime/base/atomic.h"

namespace volt::sched {
namespace {

constinit base::Atomic<std::uint32_t> forks{0};

void count_fork() noexcept { forks.fetch_add(1, base::relaxed); }  // relaxed: a child begins with one thread

}  // namespace

std::uint32_t process_forks() noexcept {
  // A failure (no memory) only leaves forks unnoticed.
  [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, count_fork);
  return forks.load(base::relaxed);  // relaxed: as above
}

}  // namespace volt::sched
