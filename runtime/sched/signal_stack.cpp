// SPDX-License-Identifier: MIT

#include "runtime/sched/signal_stack.h"

#include <signal.h>
#include <sys/mman.h>

#include <cstddef>

namespace volt::sched {
namespace {

constexpr std::size_t kBytes = 64 * 1024;

}  // namespace

SignalStack::SignalStack() noexcept {
  stack_t before{};
  if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return;
  memory_ = memory;
  const stack_t stack{.ss_sp = memory_, .ss_flags = 0, .ss_size = kBytes};
  ::sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  if (memory_ == nullptr) return;
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  ::sigaltstack(&none, nullptr);
  ::munmap(memory_, kBytes);
}

}  // namespace volt::sched
