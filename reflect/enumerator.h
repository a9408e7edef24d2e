// SPDX-License-Identifier: MIT

// Conversion between enumerators and their names: enumerator_name(Color::red) == "red", and enumerator_value() for the
// reverse.
//
// Only enumerators with values from -64 to 191 are found, because the spelling of each value by the compiler is
// evaluated; other enumerators have no name. If two enumerators have one value, the first one is used. The enum must
// have a fixed underlying type, as an `enum class` does: a conversion of most of these values to another enum has
// undefined behavior.
//
// Threads: pure functions. Lifetime: names are static.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "reflect/text.h"

namespace volt::reflect {

inline constexpr int kEnumeratorMin = -64;
inline constexpr int kEnumeratorMax = 191;

template <class E>
struct Enumerator {
  E value;
  std::string_view name;
};

template <class E, E Value>
constexpr const char* value_signature() noexcept {
  return __PRETTY_FUNCTION__;
}

// Returns true if an enumerator has the value. The compiler spells a value without an enumerator as a number:
// `(Color)7`.
template <class E, E Value>
constexpr bool has_name() noexcept {
  const char first = last_word(value_signature<E, Value>()).front();
  return first < '0' || first > '9';
}

template <class E, E Value>
constexpr auto make_enumerator_name() noexcept {
  constexpr std::string_view name = last_word(value_signature<E, Value>());
  return Text<name.size()>::copy(name);
}

template <class E, E Value>
inline constexpr auto kEnumeratorName = make_enumerator_name<E, Value>();

template <class E>
constexpr bool can_hold(int value) noexcept {
  using Underlying = std::underlying_type_t<E>;
  return (value >= 0 || std::is_signed_v<Underlying>) && static_cast<int>(static_cast<Underlying>(value)) == value;
}

template <class E, int Value>
constexpr bool is_enumerator() noexcept {
  if constexpr (can_hold<E>(Value)) {
    return has_name<E, static_cast<E>(Value)>();
  } else {
    return false;
  }
}

template <class E>
constexpr auto found_enumerators() noexcept {
  return []<int... Offset>(std::integer_sequence<int, Offset...>) {
    return std::array<bool, sizeof...(Offset)>{is_enumerator<E, kEnumeratorMin + Offset>()...};
  }(std::make_integer_sequence<int, kEnumeratorMax - kEnumeratorMin + 1>{});
}

template <class E>
constexpr auto enumerator_values() noexcept {
  constexpr auto found = found_enumerators<E>();
  constexpr std::size_t count = [&found] {
    std::size_t sum = 0;
    for (const bool one : found) sum += one;
    return sum;
  }();
  std::array<E, count> values{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) values[next++] = static_cast<E>(kEnumeratorMin + static_cast<int>(i));
  }
  return values;
}

template <class E>
inline constexpr auto kEnumeratorValues = enumerator_values<E>();

template <class E>
constexpr auto make_enumerators() noexcept {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Enumerator<E>, sizeof...(I)>{
        Enumerator<E>{kEnumeratorValues<E>[I], kEnumeratorName<E, kEnumeratorValues<E>[I]>.view()}...};
  }(std::make_index_sequence<kEnumeratorValues<E>.size()>{});
}

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires { E{0}; };  // E{0}: only with a fixed underlying type

// All enumerators of E, in ascending order of their values.
template <NamedEnum E>
inline constexpr auto enumerators = make_enumerators<E>();

// Returns the name of `value`; empty if `value` is not an enumerator of the searched range.
template <NamedEnum E>
constexpr std::string_view enumerator_name(E value) noexcept {
  for (const Enumerator<E>& enumerator : enumerators<E>) {
    if (enumerator.value == value) return enumerator.name;
  }
  return {};
}

template <NamedEnum E>
constexpr std::optional<E> enumerator_value(std::string_view name) noexcept {
  for (const Enumerator<E>& enumerator : enumerators<E>) {
    if (enumerator.name == name) return enumerator.value;
  }
  return std::nullopt;
}

}  // namespace volt::reflect
