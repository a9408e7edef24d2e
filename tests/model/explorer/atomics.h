// SPDX-License-Identifier: MIT

// The atomics that a model build uses in place of the hardware's (VOLT_ATOMICS, runtime/base/atomic.h).
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tests/model/explorer/operations.h"

namespace volt::model {

// Has the interface of std::atomic<T>; the explorer carries out the operations. A weak exchange fails no more often
// than a strong one, because it is always in a loop.
template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  using Order = std::memory_order;

 public:
  Atomic() noexcept : Atomic(T{}) {}
  Atomic(T value) noexcept : atomic_(create_atomic(bits(value))) {}  // converts from a value, as std::atomic does
  ~Atomic() { destroy_atomic(atomic_); }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  [[nodiscard]] T load(Order order, Site site = Site::here()) const noexcept {
    return value(load_atomic(atomic_, order, site));
  }
  void store(T desired, Order order, Site site = Site::here()) noexcept {
    store_atomic(atomic_, bits(desired), order, site);
  }
  T exchange(T desired, Order order, Site site = Site::here()) noexcept {
    return change([desired](T) { return desired; }, order, site);
  }
  T fetch_add(T by, Order order, Site site = Site::here()) noexcept {
    return change([by](T before) { return static_cast<T>(before + by); }, order, site);
  }
  T fetch_sub(T by, Order order, Site site = Site::here()) noexcept {
    return change([by](T before) { return static_cast<T>(before - by); }, order, site);
  }
  T fetch_or(T mask, Order order, Site site = Site::here()) noexcept {
    return change([mask](T before) { return static_cast<T>(before | mask); }, order, site);
  }
  T fetch_and(T mask, Order order, Site site = Site::here()) noexcept {
    return change([mask](T before) { return static_cast<T>(before & mask); }, order, site);
  }
  T fetch_xor(T mask, Order order, Site site = Site::here()) noexcept {
    return change([mask](T before) { return static_cast<T>(before ^ mask); }, order, site);
  }
  bool compare_exchange_strong(T& expected, T desired, Order order, Order order_of_failure,
                               Site site = Site::here()) noexcept {
    std::uint64_t found = bits(expected);
    const bool exchanged = compare_exchange(atomic_, found, bits(desired), order, order_of_failure, site);
    expected = value(found);
    return exchanged;
  }
  bool compare_exchange_weak(T& expected, T desired, Order order, Order order_of_failure,
                             Site site = Site::here()) noexcept {
    return compare_exchange_strong(expected, desired, order, order_of_failure, site);
  }

 private:
  static std::uint64_t bits(T value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static T value(std::uint64_t bits) noexcept {
    T value{};
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  template <class Change>
  T change(Change&& change, Order order, const Site& site) noexcept {
    const T before = value(begin_exchange(atomic_));
    end_exchange(atomic_, bits(change(before)), order, site);
    return before;
  }

  const std::uint32_t atomic_;
};

}  // namespace volt::model

namespace volt::base {

template <class T>
using Atomic = model::Atomic<T>;

struct RealAtomics {
  template <class T>
  using Atomic = model::Atomic<T>;

  static void full_fence(Atomic<std::uint64_t>&, model::Site site = model::Site::here()) noexcept {
    model::full_fence(site);
  }
};

inline void spin_pause() noexcept { model::wait_for_change(); }

}  // namespace volt::base
