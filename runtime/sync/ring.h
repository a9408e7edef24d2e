// SPDX-License-Identifier: MIT

// Ring<T>: a queue of at most `capacity` values, in one allocation that never grows.
//
// Threads: Ring does not synchronize.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "runtime/base/check.h"

namespace volt::sync {

template <class T>
class Ring {
  static_assert(std::is_nothrow_move_constructible_v<T>, "values move under a lock, so that must not throw");

 public:
  explicit Ring(std::size_t capacity) : capacity_(capacity), slots_(std::allocator<T>().allocate(capacity)) {
    VOLT_REQUIRE(capacity != 0, "a channel with capacity 0 was created: the capacity must be at least 1");
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    while (!empty()) static_cast<void>(pop_front());
    std::allocator<T>().deallocate(slots_, capacity_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool full() const noexcept { return size_ == capacity_; }

  void push_back(T&& value) noexcept {
    VOLT_CHECK(!full());
    const std::size_t place = first_ + size_ < capacity_ ? first_ + size_ : first_ + size_ - capacity_;
    std::construct_at(slots_ + place, std::move(value));
    ++size_;
  }

  [[nodiscard]] T pop_front() noexcept {
    VOLT_CHECK(!empty());
    T* slot = slots_ + first_;
    T value = std::move(*slot);
    std::destroy_at(slot);
    first_ = first_ + 1 == capacity_ ? 0 : first_ + 1;
    --size_;
    return value;
  }

 private:
  const std::size_t capacity_;
  T* const slots_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace volt::sync
