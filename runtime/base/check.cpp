// SPDX-License-Identifier: MIT

#include "runtime/base/check.h"

#include <unwind.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/base/function_name.h"

namespace volt::base {
namespace {

constexpr int kFramesMax = 16;

// Prints the function of one frame of the stack. The innermost two are misused() and _Unwind_Backtrace's own caller.
_Unwind_Reason_Code print_frame(_Unwind_Context* context, void* printed) {
  int& count = *static_cast<int*>(printed);
  const auto return_address = reinterpret_cast<const char*>(::_Unwind_GetIP(context));
  const std::string name = return_address != nullptr ? function_name(return_address - 1) : std::string();
  if (!name.empty() && !name.starts_with("volt::base::misused")) {
    std::fprintf(stderr, "volt:   in %s\n", name.c_str());
    ++count;
  }
  return count == kFramesMax ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "volt: %s:%d: CHECK(%s) failed\n", file, line, condition);
  std::abort();
}

void misused(const char* sentence, const char* file, int line) noexcept { misused_by("", sentence, file, line); }

void misused_by(const char* function, const char* sentence, const char* file, int line) noexcept {
  std::fprintf(stderr, "volt: misuse: %s%s\nvolt:   found by %s:%d\n", function, sentence, file, line);
  int printed = 0;
  ::_Unwind_Backtrace(print_frame, &printed);
  std::abort();
}

}  // namespace volt::base
