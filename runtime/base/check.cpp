// SPDX-License-Identifier: MIT

#include "runtime/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace volt::base {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "volt: %s:%d: CHECK(%s) failed\n", file, line, condition);
  std::abort();
}

}  // namespace volt::base
