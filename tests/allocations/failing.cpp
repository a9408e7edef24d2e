// SPDX-License-Identifier: MIT

#include "tests/allocations/failing.h"

#include <openssl/crypto.h>

#include <cstddef>
#include <cstdlib>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "tests/allocations/operator_new.h"

namespace volt::test {
namespace {

// relaxed: counts, and flags that are ordered by the scheduler's own edges
constexpr auto kOrder = base::relaxed;
enum Mode : int { kOff, kThisThread, kOtherThreads };
base::Atomic<int> mode{kOff};
base::Atomic<std::uint64_t> made{0};
base::Atomic<std::uint64_t> number_to_fail{0};
thread_local bool planner = false;  // true on the thread that created the live FailingAllocation
thread_local int not_counted = 0;

void* crypto_malloc(std::size_t size, const char*, int) { return allocation_fails() ? nullptr : std::malloc(size); }
void* crypto_realloc(void* memory, std::size_t size, const char*, int) {
  return allocation_fails() ? nullptr : std::realloc(memory, size);
}
void crypto_free(void* memory, const char*, int) { std::free(memory); }

}  // namespace

bool allocation_fails() noexcept {
  const int wanted = mode.load(kOrder);
  if (wanted == kOff || planner != (wanted == kThisThread) || not_counted != 0) return false;
  return made.fetch_add(1, kOrder) + 1 == number_to_fail.load(kOrder);
}

FailingAllocation::FailingAllocation(Counted counted, std::uint64_t number) noexcept {
  planner = true;
  made.store(0, kOrder);
  number_to_fail.store(number, kOrder);
  mode.store(counted == Counted::this_thread ? kThisThread : kOtherThreads, kOrder);
}
FailingAllocation::~FailingAllocation() {
  mode.store(kOff, kOrder);
  planner = false;
}
bool FailingAllocation::met() const noexcept { return made.load(kOrder) >= number_to_fail.load(kOrder); }

NotCounted::NotCounted() noexcept { ++not_counted; }
NotCounted::~NotCounted() { --not_counted; }

void count_libcrypto() noexcept {
  VOLT_CHECK(CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) == 1);
}

}  // namespace volt::test
