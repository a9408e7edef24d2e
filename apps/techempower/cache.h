// SPDX-License-Identifier: MIT

// Cache: values by key; evicts the least recently used when it is full.
//
// Threads: any. The keys are spread over parts with a lock each, so that workers rarely wait for each other.
// Memory: `capacity` entries.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace techempower {

template <class Key, class Value>
class Cache {
 public:
  explicit Cache(std::size_t capacity) : part_capacity_(std::max<std::size_t>(1, capacity / kParts)) {}

  [[nodiscard]] std::optional<Value> find(const Key& key) {
    Part& part = part_of(key);
    const std::scoped_lock lock(part.mutex);
    const auto known = part.places.find(key);
    if (known == part.places.end()) return std::nullopt;
    part.entries.splice(part.entries.begin(), part.entries, known->second);
    return known->second->second;
  }

  void put(const Key& key, Value value) {
    Part& part = part_of(key);
    const std::scoped_lock lock(part.mutex);
    if (const auto known = part.places.find(key); known != part.places.end()) {
      known->second->second = std::move(value);
      part.entries.splice(part.entries.begin(), part.entries, known->second);
      return;
    }
    if (part.entries.size() == part_capacity_) {
      part.places.erase(part.entries.back().first);
      part.entries.pop_back();
    }
    part.entries.emplace_front(key, std::move(value));
    part.places.emplace(key, part.entries.begin());
  }

 private:
  static constexpr std::size_t kParts = 16;

  using Entries = std::list<std::pair<Key, Value>>;  // most recently used first
  struct Part {
    std::mutex mutex;
    Entries entries;
    std::unordered_map<Key, typename Entries::iterator> places;
  };

  Part& part_of(const Key& key) { return parts_[std::hash<Key>{}(key) % kParts]; }

  const std::size_t part_capacity_;
  std::array<Part, kParts> parts_;
};

}  // namespace techempower
