// SPDX-License-Identifier: MIT

#include "http/server/internal/memory_budget.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <limits>

#include "runtime/log.h"
#include "runtime/per_worker.h"
#include "runtime/tasks.h"
#include "runtime/time.h"

namespace volt::http::server {
namespace {

// Memory is low when less than 1/kLowShare of the limit is left, but never while kLowBytesMax are left: so much memory
// cannot be filled before the next sample.
constexpr std::uint64_t kLowShare = 8;
constexpr std::int64_t kLowBytesMax = 256 * 1024 * 1024;

constexpr auto kChargedSampleInterval = std::chrono::milliseconds(1);
constexpr auto kTrimInterval = std::chrono::milliseconds(500);  // because malloc_trim() walks all free memory
constexpr auto kMemoryLogInterval = std::chrono::seconds(1);

constexpr auto kBetweenTries = std::chrono::milliseconds(50);
constexpr int kTriesMin = 20;
constexpr int kTriesSpread = 40;  // different tasks make up to so many additional tries

std::int64_t low_below(const std::optional<MemoryUse>& use) noexcept {
  return use ? std::min(static_cast<std::int64_t>(use->limit_bytes() / kLowShare), kLowBytesMax) : 0;
}

// Returns freed memory to the kernel, so that the next sample does not count it.
void trim_heap() noexcept {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace

MemoryBudget::MemoryBudget(std::optional<MemoryUse> use)
    : use_(std::move(use)), low_below_bytes_(low_below(use_)), left_bytes_(std::numeric_limits<std::int64_t>::max()) {
  if (use_) left_bytes_ = static_cast<std::int64_t>(use_->limit_bytes() - use_->used_bytes());
}

void MemoryBudget::charge(std::uint64_t bytes, std::chrono::nanoseconds now) noexcept {
  if (!use_) return;
  const auto charged = static_cast<std::int64_t>(bytes);
  const std::int64_t left = left_bytes_.fetch_sub(charged, base::relaxed) - charged;  // relaxed: a figure
  if (left < low_below_bytes_ && sample_gate_.due(now, kChargedSampleInterval)) sample_now(now);
}

void MemoryBudget::sample_now(std::chrono::nanoseconds now) noexcept {
  const auto left = [this] { return static_cast<std::int64_t>(use_->limit_bytes() - use_->used_bytes()); };
  left_bytes_.store(left(), base::relaxed);  // relaxed: a figure
  if (!low()) return;
  if (trim_gate_.due(now, kTrimInterval)) {
    trim_heap();
    left_bytes_.store(left(), base::relaxed);  // relaxed: as above
  }
  if (!low() || !log_gate_.due(now, kMemoryLogInterval)) return;
  log(LogLevel::warning, "memory is low",
      {{"state", to_string(state())}, {"used_bytes", used_bytes()}, {"limit_bytes", limit_bytes()}});
}

Task<bool> MemoryBudget::relief() {
  const int tries = kTriesMin + static_cast<int>(this_task_id() % kTriesSpread);
  for (int i = 0; i != tries; ++i) {
    co_await sleep_for(kBetweenTries);
    look(coarse_now());
    if (!low()) co_return true;
  }
  co_return false;
}

std::uint64_t MemoryBudget::used_bytes() const noexcept {
  if (!use_) return 0;
  const std::int64_t left = left_bytes_.load(base::relaxed);  // relaxed: a report
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(limit_bytes()) - left));
}

}  // namespace volt::http::server
