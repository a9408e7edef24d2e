// SPDX-License-Identifier: MIT

#include "stores/internal/availability.h"

#include "runtime/logger.h"
#include "runtime/per_worker.h"

namespace volt::stores {
namespace {

constexpr Logger kStoresLog("stores");

}  // namespace

bool Availability::may_ask() noexcept {
  std::int64_t ask_at = ask_at_ns_.load(base::relaxed);  // relaxed: the word publishes nothing else
  if (ask_at == kNow) return true;
  const std::int64_t now = coarse_now().count();
  // relaxed: of the callers after the pause one wins, and begins the next pause
  return now >= ask_at && ask_at_ns_.compare_exchange_strong(ask_at, now + pause_ns_, base::relaxed);
}

void Availability::succeeded() noexcept {
  if (available()) return;
  // relaxed: of the callers that succeed one makes the change
  if (ask_at_ns_.exchange(kNow, base::relaxed) == kNow) return;
  kStoresLog(LogLevel::info, "Redis answers again");
}

void Availability::failed(std::string_view reason) noexcept {
  const std::int64_t ask_at = coarse_now().count() + pause_ns_;
  // relaxed: of the callers that fail at once one makes the change
  if (ask_at_ns_.exchange(ask_at, base::relaxed) != kNow) return;
  kStoresLog(LogLevel::error, "Redis failed", {{"error", reason}, {"consequence", consequence_}});
}

}  // namespace volt::stores
