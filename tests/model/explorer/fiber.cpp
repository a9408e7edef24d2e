// SPDX-License-Identifier: MIT

#include "tests/model/explorer/fiber.h"

#include <cxxabi.h>

#include <cstring>

namespace volt::model {

void Fiber::start(void (*entry)()) noexcept {
  ::getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = stack_bytes_;
  context_.uc_link = nullptr;
  exceptions_ = {};
  ::makecontext(&context_, entry, 0);
}

void Fiber::switch_to(Fiber& next) noexcept {
  auto* exceptions = abi::__cxa_get_globals();
  std::memcpy(&exceptions_, exceptions, sizeof exceptions_);
  std::memcpy(static_cast<void*>(exceptions), &next.exceptions_, sizeof exceptions_);
  ::swapcontext(&context_, &next.context_);
}

}  // namespace volt::model
