// SPDX-License-Identifier: MIT

// Checks whether values of a type can be written or read as JSON, including the members of its aggregates. If they
// cannot, the compiler prints a sentence with the reason (reflect/wrong_type.h).
//
// Threads: constants.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "http/json/shape.h"
#include "reflect/aggregate.h"
#include "reflect/wrong_type.h"

namespace volt::http::json {

// Finds the first type, T itself or a part of T, that is not supported. `Outer` lists the aggregates that contain T;
// the search stops at them, because an aggregate may contain itself.
template <class T, Direction D, class... Outer>
consteval auto find_wrong();

template <class T, Direction D, class... Outer>
consteval auto find_wrong_part() {
  constexpr Shape shape = kShape<T>;
  if constexpr (shape == Shape::aggregate) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (reflect::AllRight() | ... | find_wrong<reflect::MemberType<T, I>, D, Outer..., T>());
    }(std::make_index_sequence<reflect::member_count<T>>());
  } else if constexpr (shape == Shape::owner) {
    return find_wrong<std::remove_const_t<typename T::element_type>, D, Outer...>();
  } else if constexpr (shape == Shape::map) {
    return find_wrong<typename T::mapped_type, D, Outer...>();
  } else if constexpr (shape == Shape::variant) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (reflect::AllRight() | ... | find_wrong<std::variant_alternative_t<I, T>, D, Outer...>());
    }(std::make_index_sequence<std::variant_size_v<T>>());
  } else if constexpr (shape == Shape::tuple) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (reflect::AllRight() | ... | find_wrong<std::tuple_element_t<I, T>, D, Outer...>());
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (shape == Shape::optional || shape == Shape::fixed) {
    return find_wrong<typename T::value_type, D, Outer...>();
  } else if constexpr (shape == Shape::sequence && requires { typename T::value_type; }) {
    return find_wrong<typename T::value_type, D, Outer...>();
  } else {
    return reflect::AllRight();
  }
}

template <class T, Direction D, class... Outer>
consteval auto find_wrong() {
  if constexpr ((std::is_same_v<T, Outer> || ...)) {
    return reflect::AllRight();
  } else if constexpr (kShape<T> == Shape::aggregate && reflect::kHasTooManyMembers<T>) {
    return reflect::Wrong<T, Outer...>();
  } else if constexpr (!reflect::kIsRight<decltype(find_wrong_part<T, D, Outer...>())>) {
    return find_wrong_part<T, D, Outer...>();
  } else if constexpr (!is_supported<T, D>()) {
    return reflect::Wrong<T, Outer...>();
  } else {
    return reflect::AllRight();
  }
}

template <class T, Direction D>
using WrongIn = decltype(find_wrong<T, D>());

template <class T, Direction D>
inline constexpr bool kUsable = reflect::kIsRight<WrongIn<T, D>>;

// Instantiated if a type is not usable; its assertions state the reason. `Found` is the result of find_wrong().
template <class Found, Direction D>
struct Mistake {};
template <class T, class... In, Direction D>
struct Mistake<reflect::Wrong<T, In...>, D> {
  static constexpr bool kHasFewMembers = !reflect::kHasTooManyMembers<T>;
  static_assert(kHasFewMembers, "a struct may have at most 64 members: group some of them in a struct");
  static_assert(
      D != Direction::write || !kHasFewMembers,
      "this type has no JSON form: it is not a number, text, enum with an underlying type, container or plain "
      "struct; specialize volt::http::JsonConverter for it");
  static_assert(D != Direction::read || !kHasFewMembers,
                "this type cannot be read from JSON: it must have a default constructor and be a number, std::string, "
                "enum with an underlying type, container that owns its elements, or plain struct; or specialize "
                "volt::http::JsonConverter for it");
};

template <class T, Direction D>
using MistakeIn = Mistake<WrongIn<T, D>, D>;

}  // namespace volt::http::json
