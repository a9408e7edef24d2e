// ItemCache: items as they were answered, for a moment.
//
// Threads: any. Bounds: kItemsMax; beyond it nothing more is kept until others are too old.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace arena {

class ItemCache {
 public:
  static constexpr std::chrono::milliseconds kFor{200};
  static constexpr std::size_t kItemsMax = 10'000;

  [[nodiscard]] std::optional<std::string> find(int id) const {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(id);
    if (found == kept_.end() || found->second.until <= Clock::now() || found->second.json.empty()) return std::nullopt;
    return found->second.json;
  }

  void keep(int id, std::string json) const {
    const Clock::time_point now = Clock::now();
    const std::scoped_lock lock(mutex_);
    make_room_locked(now);
    if (kept_.size() == kItemsMax) return;
    Kept& kept = kept_[id];
    if (kept.until <= now) kept = {std::move(json), now + kFor};
  }

  // It has changed. Nothing is kept of it for a while: who has read it before the change may try to do so only now.
  void forget(int id) const {
    const Clock::time_point now = Clock::now();
    const std::scoped_lock lock(mutex_);
    make_room_locked(now);
    kept_.insert_or_assign(id, Kept{{}, now + kFor});
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    std::string json;  // empty: it was forgotten
    Clock::time_point until;
  };

  void make_room_locked(Clock::time_point now) const {
    if (kept_.size() < kItemsMax) return;
    std::erase_if(kept_, [&](const auto& entry) { return entry.second.until <= now; });
  }

  mutable std::mutex mutex_;
  mutable std::unordered_map<int, Kept> kept_;
};

}  // namespace arena
