// SPDX-License-Identifier: MIT

#include "tests/simulation/allocations.h"

#include <execinfo.h>
#include <unistd.h>

#include <limits>

#include "runtime/base/atomic.h"
#include "tests/allocations/operator_new.h"
#include "tests/simulation/kernel.h"

namespace volt::simulation {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// relaxed: used by threads that take turns; on all other threads allocations are not counted
constexpr auto kOrder = base::relaxed;
base::Atomic<std::uint64_t> made{0};
base::Atomic<std::uint64_t> first_to_fail{kNever};
base::Atomic<std::uint64_t> failing{0};
base::Atomic<bool> printing{false};

void print_stack() noexcept {
  const InsideKernel inside;  // backtrace() allocates
  void* frames[48];
  const int depth = ::backtrace(frames, 48);
  ::backtrace_symbols_fd(frames, depth, STDERR_FILENO);
}

}  // namespace

void plan_failures(std::uint64_t first, std::uint64_t count) noexcept {
  made.store(0, kOrder);
  first_to_fail.store(first, kOrder);
  failing.store(count, kOrder);
}
void plan_no_failures() noexcept { plan_failures(kNever, 0); }
std::uint64_t allocations() noexcept { return made.load(kOrder); }
bool an_allocation_failed() noexcept { return made.load(kOrder) >= first_to_fail.load(kOrder); }
void print_failing_allocations() noexcept { printing.store(true, kOrder); }

}  // namespace volt::simulation

namespace volt::test {

bool allocation_fails() noexcept {
  using namespace simulation;
  if (!inside_server()) return false;
  const std::uint64_t number = made.fetch_add(1, kOrder) + 1;
  const std::uint64_t first = first_to_fail.load(kOrder);
  if (number < first || number - first >= failing.load(kOrder)) return false;
  if (printing.load(kOrder)) print_stack();
  return true;
}

}  // namespace volt::test
