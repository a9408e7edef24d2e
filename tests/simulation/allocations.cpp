#include "tests/simulation/allocations.h"

#include <execinfo.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

#include "runtime/base/atomic.h"
#include "tests/simulation/kernel.h"

namespace volt::simulation {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// relaxed: written and read by threads that take turns; the others only find out that they do not count
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

bool fails() noexcept {
  if (!inside_server()) return false;
  const std::uint64_t number = made.fetch_add(1, kOrder) + 1;
  const std::uint64_t first = first_to_fail.load(kOrder);
  if (number < first || number - first >= failing.load(kOrder)) return false;
  if (printing.load(kOrder)) print_stack();
  return true;
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

#if !defined(VOLT_THREAD_SANITIZER)  // which has its own

using volt::simulation::allocate;
using volt::simulation::allocate_or_throw;

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

#endif
