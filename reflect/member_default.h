// SPDX-License-Identifier: MIT

// Detects whether a member has a default member initializer, so that input may leave the member out.
//
//   struct Page { int limit = 20; std::int64_t after = 0; std::string filter; };   // limit and after: yes; filter: no
//
// The rule depends on the member's type:
//   scalar, trivial class                yes if it has a default member initializer, even one of value 0
//   std::optional, smart pointer         always: they can be absent
//   container, string                    yes if its default is not empty
//   std::array, aggregate                yes if each element or member has a default
//   std::variant, std::tuple, std::pair,
//   other classes                        yes if its default differs from a value-initialized object
//
// Scalars need a trick. Reading an uninitialized scalar in a constant expression would be the clean way, but clang
// cannot evaluate the std::string of libstdc++ 12 there, so it fails for most types. Instead T is constructed twice by
// default-initialization, in memory filled with zeros and in memory filled with ones: bytes that no initializer wrote
// still have the filling. Both objects are constructed once for each T, on first use.
//
// Threads: any thread, at any time.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <tuple>
#include <type_traits>
#include <variant>

#include "reflect/aggregate.h"

namespace volt::reflect {

// A default-initialized T in memory filled with a known byte. Barriers prevent the compiler from removing the filling
// as a dead store, and from assuming anything about the memory's content afterwards.
template <class T>
class FilledObject {
 public:
  explicit FilledObject(unsigned char filling) {
    for (unsigned char& byte : bytes_) byte = filling;
    hide_from_optimiser();
    ::new (static_cast<void*>(bytes_)) T;
    hide_from_optimiser();
  }
  ~FilledObject() { object().~T(); }
  FilledObject(const FilledObject&) = delete;
  FilledObject& operator=(const FilledObject&) = delete;

  const T& object() const noexcept { return *std::launder(reinterpret_cast<const T*>(bytes_)); }

 private:
  void hide_from_optimiser() noexcept {
    unsigned char* bytes = bytes_;
    asm volatile("" : "+r"(bytes) : : "memory");
  }

  alignas(T) unsigned char bytes_[sizeof(T)];
};

template <class M>
concept CanBeAbsent = std::is_null_pointer_v<M> || requires(M& value) { *value, value.reset(); };

// Returns true if an initializer wrote the scalar. Its first byte is then equal in both objects. Later bytes are not
// compared, because they may be padding.
template <class M>
bool was_written(const M& over_zeros, const M& over_ones) noexcept {
  return *reinterpret_cast<const unsigned char*>(__builtin_addressof(over_zeros)) ==
         *reinterpret_cast<const unsigned char*>(__builtin_addressof(over_ones));
}

// Returns true if the value differs from a value-initialized object of its type. Arrays, tuples and aggregates are
// compared element by element: the `==` of a std::tuple is declared even if its elements have none, and then does not
// compile.
template <class M>
bool differs_from_empty(const M& value) {
  bool differs = false;
  const auto look_at = [&differs](const auto& part) { differs = differs || differs_from_empty(part); };
  if constexpr (CanBeAbsent<M>) {
    if constexpr (!std::is_null_pointer_v<M>) differs = static_cast<bool>(value);
  } else if constexpr (Range<const M> && TupleLike<M>) {
    for (const auto& element : value) look_at(element);
  } else if constexpr (Range<const M>) {
    differs = value.begin() != value.end();
  } else if constexpr (requires { std::variant_size<M>::value; }) {
    if (value.index() != 0) return true;
    look_at(*std::get_if<0>(&value));
  } else if constexpr (TupleLike<M>) {
    std::apply([&](const auto&... elements) { (look_at(elements), ...); }, value);
  } else if constexpr (Aggregate<M>) {
    for_each_member(value, [&](auto, const auto& member) { look_at(member); });
  } else if constexpr (requires { value == M{}; }) {
    differs = !(value == M{});
  }
  return differs;
}

template <class M>
bool has_default(const M& over_zeros, const M& over_ones) {
  if constexpr (CanBeAbsent<M>) {
    return true;
  } else if constexpr (Range<const M> && TupleLike<M>) {
    bool all = true;
    for (std::size_t i = 0; i < over_zeros.size(); ++i) all = all && has_default(over_zeros[i], over_ones[i]);
    return all;
  } else if constexpr (Range<const M>) {
    return over_zeros.begin() != over_zeros.end();
  } else if constexpr (Aggregate<M>) {
    bool all = true;
    for_each_member(over_zeros, [&](auto index, const auto& member) {
      all = all && has_default(member, get_member<index>(over_ones));
    });
    return all;
  } else if constexpr (std::is_trivially_default_constructible_v<M>) {
    return was_written(over_zeros, over_ones);
  } else {
    return differs_from_empty(over_zeros);
  }
}

template <Aggregate T>
std::array<bool, member_count<T>> find_defaults() {
  std::array<bool, member_count<T>> defaults{};
  if constexpr (std::is_default_constructible_v<T>) {
    const FilledObject<T> zeros(0x00);
    const FilledObject<T> ones(0xff);
    for_each_member(zeros.object(), [&](auto index, const auto& member) {
      defaults[index] = has_default(member, get_member<index>(ones.object()));
    });
  }
  return defaults;
}

// Returns for each member of T whether it has a default. May throw the exceptions of T's initializers.
template <Aggregate T>
const std::array<bool, member_count<T>>& member_defaults() {
  static const std::array<bool, member_count<T>> defaults = find_defaults<T>();
  return defaults;
}

template <Aggregate T, std::size_t I>
bool member_has_default() {
  return member_defaults<T>()[I];
}

}  // namespace volt::reflect
