// SPDX-License-Identifier: MIT

// LruMap: a map with a bound on its entries and on their bytes. An entry beyond a bound replaces those that were used
// the longest time ago.
//
//   LruMap<std::string, Page> pages({.entries_max = 1000, .bytes_max = 64 << 20});
//   pages.put(path, std::move(page), page_bytes);
//   if (Page* known = pages.find(path)) ...
//
// Threads: one at a time. Cost: find() and put() are logarithmic in the number of entries.
// Rejected: a hash table. Keys often come from clients, which could choose them so that all collide; a tree stays fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <utility>

namespace volt {

struct LruBounds {
  std::size_t entries_max = 10'000;  // at least 1
  std::size_t bytes_max = SIZE_MAX;  // maximum sum of the bytes that put() is told
};

template <class Key, class Value>
class LruMap {
 public:
  explicit LruMap(LruBounds bounds) : bounds_(bounds) {}

  // Returns the value, which is now the one used last; null if there is none. Valid until the next put() or erase().
  [[nodiscard]] Value* find(const Key& key) {
    const auto known = by_key_.find(key);
    if (known == by_key_.end()) return nullptr;
    by_use_.splice(by_use_.begin(), by_use_, known->second);
    return &known->second->value;
  }

  // Stores a value in place of an earlier one. Returns how many other entries it has evicted; an entry of more bytes
  // than the bound is not stored.
  std::size_t put(Key key, Value value, std::size_t bytes = 0) {
    erase(key);
    if (bytes > bounds_.bytes_max) return 0;
    std::list<Node> made;  // joins the others when nothing can fail any more
    made.push_front({.key = key, .value = std::move(value), .bytes = bytes});
    by_key_.emplace(std::move(key), made.begin());
    by_use_.splice(by_use_.begin(), made);
    bytes_ += bytes;
    std::size_t evicted = 0;
    for (; by_use_.size() > 1 && (by_use_.size() > bounds_.entries_max || bytes_ > bounds_.bytes_max); ++evicted) {
      erase(by_use_.back().key);
    }
    return evicted;
  }

  // `key` may be that of the entry itself.
  bool erase(const Key& key) {
    const auto known = by_key_.find(key);
    if (known == by_key_.end()) return false;
    bytes_ -= known->second->bytes;
    by_use_.erase(known->second);  // from here on, `key` may be gone
    by_key_.erase(known);
    return true;
  }

  void clear() noexcept {
    by_key_.clear();
    by_use_.clear();
    bytes_ = 0;
  }

  [[nodiscard]] std::size_t size() const noexcept { return by_key_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct Node {
    Key key;
    Value value;
    std::size_t bytes;
  };

  LruBounds bounds_;
  std::size_t bytes_ = 0;
  std::list<Node> by_use_;  // used last at the front
  std::map<Key, typename std::list<Node>::iterator> by_key_;
};

}  // namespace volt
