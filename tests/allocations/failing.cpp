#include "tests/allocations/failing.h"

#include <openssl/crypto.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"

namespace volt::test {
namespace {

// relaxed: counts, and flags that the scheduler's own edges order
constexpr auto kOrder = base::relaxed;
enum Mode : int { kOff, kThisThread, kOtherThreads };
base::Atomic<int> mode{kOff};
base::Atomic<std::uint64_t> made{0};
base::Atomic<std::uint64_t> number_to_fail{0};
thread_local bool planner = false;  // the thread whose FailingAllocation lives
thread_local int not_counted = 0;

bool fails() noexcept {
  const int wanted = mode.load(kOrder);
  if (wanted == kOff || planner != (wanted == kThisThread) || not_counted != 0) return false;
  return made.fetch_add(1, kOrder) + 1 == number_to_fail.load(kOrder);
}

[[maybe_unused]] void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (fails()) return nullptr;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

[[maybe_unused]] void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* crypto_malloc(std::size_t size, const char*, int) { return fails() ? nullptr : std::malloc(size); }
void* crypto_realloc(void* memory, std::size_t size, const char*, int) {
  return fails() ? nullptr : std::realloc(memory, size);
}
void crypto_free(void* memory, const char*, int) { std::free(memory); }

}  // namespace

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

using volt::test::allocate;
using volt::test::allocate_or_throw;

// NOLINTBEGIN: the forms of the standard
void* operator new(std::size_t size) { return allocate_or_throw(size, 0); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
// NOLINTEND
