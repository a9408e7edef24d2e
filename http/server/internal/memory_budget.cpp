// SPDX-License-Identifier: MIT

#include "http/server/internal/memory_budget.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <limits>

#include "http/web/http_log.h"
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
constexpr auto kForgetInterval = std::chrono::minutes(1);       // after it, the largest response counts half
constexpr auto kMemoryLogInterval = std::chrono::seconds(1);

constexpr auto kBetweenTries = std::chrono::milliseconds(50);
constexpr int kTriesMin = 20;
constexpr int kTriesSpread = 40;  // different tasks make up to so many additional tries

std::int64_t share_of(const std::optional<MemoryUse>& use) noexcept {
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
    : use_(std::move(use)),
      share_bytes_(share_of(use_)),
      low_below_bytes_(share_bytes_),
      left_and_charged_(std::numeric_limits<std::int64_t>::max()) {
  if (use_) measure();
}

void MemoryBudget::charge(std::uint64_t bytes, std::chrono::nanoseconds now) noexcept {
  if (!use_) return;
  charged_bytes_.fetch_add(static_cast<std::int64_t>(bytes), base::relaxed);  // relaxed: a figure
  if (low() && sample_gate_.due(now, kChargedSampleInterval)) sample_now(now);
}

// Two threads may overwrite each other's values; the next response of this size corrects them.
void MemoryBudget::note_large_response(std::size_t bytes, std::uint32_t workers,
                                       std::chrono::nanoseconds now) noexcept {
  const auto half = static_cast<std::int64_t>(limit_bytes() / 2);
  const std::int64_t of_all_workers = std::min(static_cast<std::int64_t>(bytes), half) * workers;
  const std::int64_t reserved = reserved_bytes_.load(base::relaxed);  // relaxed: a hint
  reserve(std::max(of_all_workers, forget_gate_.due(now, kForgetInterval) ? reserved / 2 : reserved));
  charge(bytes, now);
}

void MemoryBudget::forget_large_responses(std::chrono::nanoseconds now) noexcept {
  const std::int64_t reserved = reserved_bytes_.load(base::relaxed);  // relaxed: a hint
  if (reserved != 0 && forget_gate_.due(now, kForgetInterval)) reserve(reserved / 2);
}

// Keeps so much memory free for responses, but memory never counts as low while half of the limit is left.
void MemoryBudget::reserve(std::int64_t bytes) noexcept {
  const auto half = static_cast<std::int64_t>(limit_bytes() / 2);
  bytes = std::min(bytes, half);
  reserved_bytes_.store(bytes, base::relaxed);  // relaxed: a hint
  // Below half of this value, all requests are refused.
  low_below_bytes_.store(std::clamp(2 * bytes, share_bytes_, std::max(share_bytes_, half)),
                         base::relaxed);  // relaxed: a hint
}

void MemoryBudget::measure() noexcept {
  const std::int64_t charged = charged_bytes_.load(base::relaxed);  // relaxed: a figure
  const auto left = static_cast<std::int64_t>(use_->limit_bytes() - use_->used_bytes());
  left_and_charged_.store(left + charged, base::relaxed);  // relaxed: a figure
}

void MemoryBudget::sample_now(std::chrono::nanoseconds now) noexcept {
  forget_large_responses(now);
  measure();
  if (!low()) return;
  if (trim_gate_.due(now, kTrimInterval)) {
    trim_heap();
    measure();
  }
  if (!low() || !log_gate_.due(now, kMemoryLogInterval)) return;
  kHttpLog(LogLevel::warning, "memory is low",
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
  const std::int64_t left = left_bytes();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(limit_bytes()) - left));
}

}  // namespace volt::http::server
