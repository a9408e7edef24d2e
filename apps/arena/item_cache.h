// SPDX-License-Identifier: MIT

// ItemCache: keeps the JSON of items for 200 ms.
//
// Threads: any. Bounds: at most kItemsMax entries; when it is full of entries that have not expired, it takes no
// others. If it then has to forget an item, it takes none at all for the duration kFor.
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
    if (kept_.size() == kItemsMax || now < closed_until_) return;
    Kept& kept = kept_[id];
    if (kept.until <= now) kept = {std::move(json), now + kFor};
  }

  // Removes an item that has changed. keep() then ignores the item for the duration kFor: a concurrent request may have
  // read the old value before the change, and may try to keep it only now.
  void forget(int id) const {
    const Clock::time_point now = Clock::now();
    const std::scoped_lock lock(mutex_);
    make_room_locked(now);
    if (kept_.size() == kItemsMax && !kept_.contains(id)) {
      closed_until_ = now + kFor;
    } else {
      kept_.insert_or_assign(id, Kept{{}, now + kFor});
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    std::string json;  // empty after forget()
    Clock::time_point until;
  };

  void make_room_locked(Clock::time_point now) const {
    if (kept_.size() < kItemsMax) return;
    std::erase_if(kept_, [&](const auto& entry) { return entry.second.until <= now; });
  }

  mutable std::mutex mutex_;
  mutable std::unordered_map<int, Kept> kept_;
  mutable Clock::time_point closed_until_;  // keep() takes nothing before this time
};

}  // namespace arena
