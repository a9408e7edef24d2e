// Fiber: a stack that can be left in the middle and, unlike a thread, forgotten there.
//
// Threads: one. Not to be used under the address or thread sanitizer, which follow no such switches.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <memory>

namespace volt::model {

class Fiber {
 public:
  Fiber() = default;  // the stack that the program runs on
  explicit Fiber(std::size_t stack_bytes)
      : stack_bytes_(stack_bytes), stack_(std::make_unique<std::byte[]>(stack_bytes)) {}

  // The next switch to it calls `entry`, which never returns. What it was doing is forgotten.
  void start(void (*entry)()) noexcept;

  void switch_to(Fiber& next) noexcept;

 private:
  // The exceptions that are being handled, which the C++ runtime keeps by thread.
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
