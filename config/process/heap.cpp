// SPDX-License-Identifier: MIT

#include "config/process/heap.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <thread>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "runtime/memory_use.h"

namespace volt::config {
namespace {

constexpr auto kBetweenBusyLooks = std::chrono::seconds(10);
constexpr auto kBetweenIdleLooks = std::chrono::seconds(60);
constexpr auto kAfterTrim = std::chrono::minutes(5);
constexpr int kIdleShare = 100;  // an idle process takes less than 1/100 of a processor
constexpr std::uint64_t kGrowthMin = 512 * 1024;
constexpr std::uint64_t kGrowthShare = 32;

#if defined(__GLIBC__)
bool environment_configures_malloc() noexcept {
  const auto names = {"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_ARENA_MAX"};
  return std::ranges::any_of(names, [](const char* name) { return std::getenv(name) != nullptr; });
}

std::chrono::nanoseconds processor_time() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}
#endif

}  // namespace

void bound_freed_memory() noexcept {
#if defined(__GLIBC__)
  if (environment_configures_malloc()) return;
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 32 << 20);
  const unsigned processors = std::thread::hardware_concurrency();
  ::mallopt(M_ARENA_MAX, static_cast<int>(2 * std::clamp(processors, 1U, 1024U) + 2));
#endif
}

HeapTrim::HeapTrim(Clock::time_point began) noexcept : last_look_(began), next_look_(Clock::time_point::max()) {
#if defined(__GLIBC__)
  if (!environment_configures_malloc()) next_look_ = began + kBetweenBusyLooks;
#endif
}

void HeapTrim::look() noexcept {
#if defined(__GLIBC__)
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  const MemoryUse memory = MemoryUse::of_process(0);
  if (is_due(now, {.bytes = memory.used_bytes(), .processor_time = processor_time()})) ::malloc_trim(0);
#endif
}

bool HeapTrim::is_due(Clock::time_point now, Use use) noexcept {
  const auto taken = use.processor_time - std::exchange(processor_time_, use.processor_time);
  const bool was_idle = std::exchange(idle_, taken * kIdleShare < now - std::exchange(last_look_, now));
  const std::uint64_t least = std::min(least_bytes_.value_or(use.bytes), use.bytes);
  const bool has_grown = use.bytes >= least + std::max(kGrowthMin, least / kGrowthShare);
  const bool due = has_grown || (idle_ && !was_idle);
  least_bytes_ = due ? std::nullopt : std::optional(least);
  next_look_ = now + (due ? kAfterTrim : idle_ ? kBetweenIdleLooks : kBetweenBusyLooks);
  return due;
}

}  // namespace volt::config
