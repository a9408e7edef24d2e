// SPDX-License-Identifier: MIT

#include "runtime/sched/stack_sample.h"

#include <pthread.h>
#include <ucontext.h>

namespace volt::sched {
namespace {

struct Registers {
  std::uintptr_t code;
  std::uintptr_t frame;
  std::uintptr_t stack;
};

Registers registers_of(const void* context) noexcept {
  [[maybe_unused]] const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto at = [&](int index) { return static_cast<std::uintptr_t>(machine.gregs[index]); };
  return {.code = at(REG_RIP), .frame = at(REG_RBP), .stack = at(REG_RSP)};
#elif defined(__aarch64__)
  return {.code = machine.pc, .frame = machine.regs[29], .stack = machine.sp};
#else
  return {};
#endif
}

// The frame pointer points to the caller's frame pointer, which precedes the return address.
struct Frame {
  std::uintptr_t caller;
  std::uintptr_t return_address;
};

}  // namespace

void StackSample::set_thread() noexcept {
  stack_begin_ = stack_end_ = 0;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (::pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
    stack_begin_ = reinterpret_cast<std::uintptr_t>(begin);
    stack_end_ = stack_begin_ + bytes;
  }
  ::pthread_attr_destroy(&attributes);
}

// Runs in a signal handler. The sanitizer would report that the frames are not objects.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::size_t StackSample::walk(
    const void* context, std::span<const void*> frames) const noexcept {
  const Registers registers = registers_of(context);
  std::size_t count = 0;
  if (registers.code != 0) frames[count++] = reinterpret_cast<const void*>(registers.code);
  const bool on_own_stack = registers.stack >= stack_begin_ && registers.stack < stack_end_;
  std::uintptr_t above = registers.stack;  // frames of callers are above those of the functions that they call
  std::uintptr_t at = registers.frame;
  const auto readable = [&] {
    return at % alignof(Frame) == 0 && at >= above && at < stack_end_ && stack_end_ - at >= sizeof(Frame);
  };
  while (on_own_stack && count != frames.size() && readable()) {
    const Frame& frame = *reinterpret_cast<const Frame*>(at);
    if (frame.return_address == 0) break;
    // The call precedes the return address, which may be that of the next function.
    frames[count++] = reinterpret_cast<const void*>(frame.return_address - 1);
    above = at + sizeof(Frame);
    at = frame.caller;
  }
  return count;
}

void StackSample::take(std::uint64_t progress, const void* context) noexcept {
  if (wanted_.load(base::acquire) != progress) return;  // X1
  if (taken_.load(base::relaxed) == progress) return;   // relaxed: this thread is the only writer
  count_ = walk(context, frames_);
  taken_.store(progress, base::release);  // X2
}

std::span<const void* const> StackSample::get(std::uint64_t progress) const noexcept {
  if (taken_.load(base::acquire) != progress) return {};  // X2
  return std::span(frames_).first(count_);
}

}  // namespace volt::sched
