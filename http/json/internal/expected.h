// SPDX-License-Identifier: MIT

// Describes the values that a type accepts, as a noun for error messages: "a whole number", "one of red, green".
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "http/json/shape.h"
#include "reflect/enumerator.h"

namespace volt::http::json {

template <class T>
std::string expected();

template <class E>
std::string expected_enumerators() {
  std::string names = "one of ";
  const char* separator = "";
  for (const auto& enumerator : reflect::enumerators<E>) {
    names.append(separator).append(enumerator.name);
    separator = ", ";
  }
  return names;
}

template <class T>
std::string expected_alternatives() {
  std::string all;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((all.append(I == 0 ? "" : " or ").append(expected<std::variant_alternative_t<I, T>>())), ...);
  }(std::make_index_sequence<std::variant_size_v<T>>{});
  return all;
}

template <class T>
std::string expected() {
  constexpr Shape shape = kShape<T>;
  // clang-format off
  if constexpr (shape == Shape::converted) return expected<ReadAs<T>>();
  else if constexpr (shape == Shape::any) return "any value";
  else if constexpr (shape == Shape::null) return "null";
  else if constexpr (shape == Shape::boolean) return "true or false";
  else if constexpr (shape == Shape::integer) return "a whole number";
  else if constexpr (shape == Shape::floating_point) return "a number";
  else if constexpr (shape == Shape::enumeration) return expected_enumerators<T>();
  else if constexpr (shape == Shape::string) return "a string";
  else if constexpr (shape == Shape::optional) return expected<typename T::value_type>();
  else if constexpr (shape == Shape::owner) return expected<std::remove_const_t<typename T::element_type>>();
  else if constexpr (shape == Shape::variant) return expected_alternatives<T>();
  else if constexpr (shape == Shape::fixed || shape == Shape::tuple) return "an array of " + std::to_string(std::tuple_size_v<T>);
  else if constexpr (shape == Shape::sequence) return "an array";
  else return "an object";
  // clang-format on
}

}  // namespace volt::http::json
