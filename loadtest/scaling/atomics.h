// SPDX-License-Identifier: MIT

// The atomics of the scaling model, in place of the hardware's (VOLT_ATOMICS, runtime/base/atomic.h). Each operation
// takes effect at once, and is reported to the model's machine, which decides what it costs and which virtual thread
// runs next. An atomic has the size of its value, so the objects of the scheduler have their true layout in lines.
//
// Threads: one; the virtual threads are fibers.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace volt::scaling {

enum class Access : std::uint8_t { read, write, exchange };

// Reports an access of the current virtual thread to the word at `address`, before it takes effect. `function` is the
// name of the accessing function.
void touch(const void* address, Access access, const char* function) noexcept;
// Reports a full fence, and a pause of a spin loop.
void fence() noexcept;
void pause() noexcept;

// Has the interface of std::atomic<T>.
template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  using Order = std::memory_order;

 public:
  constexpr Atomic() noexcept = default;
  constexpr Atomic(T value) noexcept : value_(value) {}  // converts from a value, as std::atomic does
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  [[nodiscard]] T load(Order, const char* function = __builtin_FUNCTION()) const noexcept {
    touch(this, Access::read, function);
    return value_;
  }
  void store(T desired, Order, const char* function = __builtin_FUNCTION()) noexcept {
    touch(this, Access::write, function);
    value_ = desired;
  }
  T exchange(T desired, Order, const char* function = __builtin_FUNCTION()) noexcept {
    return change([desired](T) { return desired; }, function);
  }
  T fetch_add(T by, Order, const char* function = __builtin_FUNCTION()) noexcept {
    return change([by](T before) { return static_cast<T>(before + by); }, function);
  }
  T fetch_sub(T by, Order, const char* function = __builtin_FUNCTION()) noexcept {
    return change([by](T before) { return static_cast<T>(before - by); }, function);
  }
  T fetch_or(T mask, Order, const char* function = __builtin_FUNCTION()) noexcept {
    return change([mask](T before) { return static_cast<T>(before | mask); }, function);
  }
  T fetch_and(T mask, Order, const char* function = __builtin_FUNCTION()) noexcept {
    return change([mask](T before) { return static_cast<T>(before & mask); }, function);
  }
  T fetch_xor(T mask, Order, const char* function = __builtin_FUNCTION()) noexcept {
    return change([mask](T before) { return static_cast<T>(before ^ mask); }, function);
  }
  bool compare_exchange_strong(T& expected, T desired, Order, Order,
                               const char* function = __builtin_FUNCTION()) noexcept {
    touch(this, Access::exchange, function);
    if (value_ != expected) {
      expected = value_;
      return false;
    }
    value_ = desired;
    return true;
  }
  bool compare_exchange_weak(T& expected, T desired, Order success, Order failure,
                             const char* function = __builtin_FUNCTION()) noexcept {
    return compare_exchange_strong(expected, desired, success, failure, function);
  }

 private:
  template <class Change>
  T change(Change&& change, const char* function) noexcept {
    touch(this, Access::exchange, function);
    const T before = value_;
    value_ = change(before);
    return before;
  }

  T value_{};
};

}  // namespace volt::scaling

namespace volt::base {

template <class T>
using Atomic = scaling::Atomic<T>;

struct RealAtomics {
  template <class T>
  using Atomic = scaling::Atomic<T>;

  static void full_fence(Atomic<std::uint64_t>&) noexcept { scaling::fence(); }
};

inline void signal_fence() noexcept {}
inline void spin_pause() noexcept { scaling::pause(); }

}  // namespace volt::base
