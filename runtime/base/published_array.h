// SPDX-License-Identifier: MIT

// PublishedArray: elements that one thread fills in and publishes one after another, while other threads read those
// that have been published.
//
// Threads: published() and the published elements: any thread. Everything else: the thread that publishes.
// Bound: the number of elements is fixed, so that an element never moves.
//
// Edges
//   A1  publish()'s release of published_  ->  published()'s acquire : the elements are filled in
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/base/atomic.h"

namespace volt::base {

template <class T>
class PublishedArray {
 public:
  explicit PublishedArray(std::uint32_t size) : items_(size) {}

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(items_.size()); }
  // Returns how many elements other threads may read: the first ones.
  [[nodiscard]] std::uint32_t published() const noexcept { return published_.load(acquire); }  // A1
  void publish(std::uint32_t count) noexcept { published_.store(count, release); }             // A1

  [[nodiscard]] T& operator[](std::uint32_t index) noexcept { return items_[index]; }
  [[nodiscard]] const T& operator[](std::uint32_t index) const noexcept { return items_[index]; }
  [[nodiscard]] auto begin() noexcept { return items_.begin(); }
  [[nodiscard]] auto end() noexcept { return items_.end(); }

 private:
  std::vector<T> items_;
  Atomic<std::uint32_t> published_{0};
};

}  // namespace volt::base
