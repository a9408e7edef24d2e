// SPDX-License-Identifier: MIT

#include "redis/internal/reachability.h"

#include <utility>

#include "runtime/logger.h"

namespace volt::redis::internal {
namespace {

constexpr Logger kRedisLog("redis");

}  // namespace

Reachability::Change Reachability::lost(std::string_view reason, std::chrono::nanoseconds now) {
  if (std::exchange(lost_, true)) return {};
  lost_at_ = now;
  return {.kind = Change::Kind::lost, .reason = std::string(reason)};
}

Reachability::Change Reachability::reached(std::chrono::nanoseconds now) {
  if (!std::exchange(lost_, false)) return {};
  return {.kind = Change::Kind::back, .lost_for = now - lost_at_};
}

void Reachability::log(const Change& change, std::string_view server) noexcept {
  switch (change.kind) {
    case Change::Kind::none:
      return;
    case Change::Kind::lost:
      kRedisLog(LogLevel::error, "lost the Redis server", {{"error", change.reason}, {"server", server}});
      return;
    case Change::Kind::back:
      kRedisLog(LogLevel::info, "the Redis server is back", {{"lost_for", change.lost_for}, {"server", server}});
      return;
  }
}

}  // namespace volt::redis::internal
