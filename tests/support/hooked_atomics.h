// SPDX-License-Identifier: MIT

// HookedAtomics: atomics for LocalQueue that call `hook`, once, when a slot is read: the moment at which a thief has
// claimed items and not yet finished.
//
// Threads: one.
#pragma once

#include <atomic>
#include <functional>
#include <type_traits>
#include <utility>

namespace volt::test {

struct HookedAtomics {
  static inline std::function<void()> hook;

  template <class T>
  struct Atomic : std::atomic<T> {
    using std::atomic<T>::atomic;
    T load(std::memory_order order) const noexcept {
      if constexpr (std::is_pointer_v<T>) {
        if (auto once = std::exchange(hook, nullptr)) once();
      }
      return std::atomic<T>::load(order);  // with the order requested
    }
  };
};

}  // namespace volt::test
