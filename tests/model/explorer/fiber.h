// SPDX-License-Identifier: MIT

// Fiber: a stack that can be left at any point and, unlike a thread, abandoned there.
//
// Threads: one. Must not be used under the address or thread sanitizer, which cannot follow such switches.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <memory>

namespace volt::model {

class Fiber {
 public:
  Fiber() = default;  // the stack on which the program runs
  explicit Fiber(std::size_t stack_bytes)
      : stack_bytes_(stack_bytes), stack_(std::make_unique<std::byte[]>(stack_bytes)) {}

  // Makes the next switch to this fiber call `entry`, which must never return. The fiber's previous stack is abandoned.
  void start(void (*entry)()) noexcept;

  void switch_to(Fiber& next) noexcept;

 private:
  // State of the exceptions that are being handled, which the C++ runtime keeps per thread.
  struct Exceptions {
    void* caught;
    unsigned uncaught;
  };

  std::size_t stack_bytes_ = 0;
  std::unique_ptr<std::byte[]> stack_;
  ucontext_t context_{};
  Exceptions exceptions_{};
};

}  // namespace volt::model
