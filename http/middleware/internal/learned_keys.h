// SPDX-License-Identifier: MIT

// LearnedKeys: what responses have shown about the URIs that are asked for: the fields that they depend on, and that
// they are not kept. Each replica learns it by itself. Clients choose the URIs, so the memory for them has a bound.
//
// Threads: any; locked for a look-up only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/deadline.h"
#include "runtime/lru_map.h"

namespace volt::http::middleware {

struct Learned {
  std::vector<std::string> vary_names;  // sorted; the union of those of all responses
  std::optional<Deadline> pass_until;   // the last response was not kept
};

class LearnedKeys {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{16} << 20;  // of the keys

  Learned of(const std::string& uri) {
    const std::scoped_lock lock(mutex_);
    const Learned* known = keys_.find(uri);
    return known != nullptr ? *known : Learned{};
  }

  void pass(const std::string& uri, std::chrono::nanoseconds time) {
    const Deadline until = Deadline::after(time);
    const std::scoped_lock lock(mutex_);
    at_locked(uri).pass_until = until;
  }

  // Returns all names of the key, after adding `names`.
  std::vector<std::string> vary_on(const std::string& uri, const std::vector<std::string>& names) {
    const std::scoped_lock lock(mutex_);
    const Learned* known = keys_.find(uri);
    if (known == nullptr && names.empty()) return {};
    std::vector<std::string>& all = at_locked(uri).vary_names;
    std::vector<std::string> joined;
    std::ranges::set_union(all, names, std::back_inserter(joined));
    all = joined;
    return joined;
  }

  [[nodiscard]] std::size_t bytes() {
    const std::scoped_lock lock(mutex_);
    return keys_.bytes();
  }

 private:
  static constexpr std::size_t kKeysMax = 65536;

  Learned& at_locked(const std::string& uri) {
    constexpr std::size_t kCopies = 2;  // that the map makes of a key
    if (keys_.find(uri) == nullptr) keys_.put(uri, Learned{}, std::min(kCopies * uri.size(), kBytesMax));
    return *keys_.find(uri);
  }

  std::mutex mutex_;
  LruMap<std::string, Learned> keys_{{.entries_max = kKeysMax, .bytes_max = kBytesMax}};
};

}  // namespace volt::http::middleware
