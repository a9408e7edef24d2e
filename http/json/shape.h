// SPDX-License-Identifier: MIT

// The JSON shape of a C++ type: how values of the type are written and read. Reading, writing and the concepts of
// http/json/json.h use it. A type that satisfies the conditions of several shapes has the first of them, in the order
// of find_shape(). Types of std are recognized by their operations, so that none of their headers is needed here.
//
// Threads: constants.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "reflect/aggregate.h"
#include "reflect/enumerator.h"

namespace volt::http {

// Specialize this template for your own type: see http/json/json.h.
template <class T>
struct JsonConverter;

class JsonValue;  // http/json/value.h

}  // namespace volt::http

namespace volt::http::json {

template <class T>
concept Converted = requires { sizeof(JsonConverter<T>); };

template <class T>
concept Text = !std::is_void_v<T> && std::convertible_to<std::add_lvalue_reference_t<const T>, std::string_view>;

template <class T>
concept Optional = requires(T& value) {
  typename T::value_type;
  value.has_value();
  value.emplace();
  value.reset();
};

template <class T>
concept Owner = requires(T& value) {
  typename T::element_type;
  value.reset(value.get());
  *value;
};

template <class T>
concept Map = reflect::Range<T> && requires(T& value, typename T::key_type key) {
  typename T::mapped_type;
  value.try_emplace(key);
};

template <class T>
concept Variant = requires { std::variant_size<T>::value; };

template <class T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

enum class Shape : std::uint8_t {
  none,            // no JSON form
  converted,       // defined by its JsonConverter
  any,             // JsonValue: any form
  null,            // std::monostate
  boolean,         // true, false
  integer,         // a number without fraction
  floating_point,  // a number
  enumeration,     // a string: the enumerator's name
  string,          // a string
  optional,        // null, or the value
  owner,           // null, or the object that the smart pointer owns
  variant,         // the form of the current alternative
  map,             // an object
  fixed,           // std::array: an array of that size
  tuple,           // std::pair, std::tuple: an array of that size
  sequence,        // an array
  aggregate,       // an object
};

template <class T>
consteval Shape find_shape() {
  // clang-format off
  if constexpr (Converted<T>) return Shape::converted;
  else if constexpr (std::same_as<T, JsonValue>) return Shape::any;
  else if constexpr (std::same_as<T, std::monostate>) return Shape::null;
  else if constexpr (std::same_as<T, bool>) return Shape::boolean;
  else if constexpr (std::integral<T> && !Character<T>) return Shape::integer;
  else if constexpr (std::same_as<T, float> || std::same_as<T, double>) return Shape::floating_point;
  else if constexpr (reflect::NamedEnum<T>) return Shape::enumeration;
  else if constexpr (Text<T>) return Shape::string;
  else if constexpr (Optional<T>) return Shape::optional;
  else if constexpr (Owner<T>) return Shape::owner;
  else if constexpr (Variant<T>) return Shape::variant;
  else if constexpr (Map<T>) return Shape::map;
  else if constexpr (reflect::Range<T> && reflect::TupleLike<T>) return Shape::fixed;
  else if constexpr (reflect::TupleLike<T>) return Shape::tuple;
  else if constexpr (reflect::Range<T>) return Shape::sequence;
  else if constexpr (reflect::Aggregate<T>) return Shape::aggregate;
  else return Shape::none;
  // clang-format on
}

template <class T>
inline constexpr Shape kShape = find_shape<T>();

// The type by which a converted type is represented: WrittenAs is the result type of JsonConverter::to, and ReadAs is
// the parameter type of JsonConverter::from.
template <class T>
using WrittenAs = std::remove_cvref_t<decltype(JsonConverter<T>::to(std::declval<const T&>()))>;

template <class Result, class Argument>
std::remove_cvref_t<Argument> argument_of(Result (*)(Argument));

template <class T>
using ReadAs = decltype(argument_of(&JsonConverter<T>::from));

template <class T>
consteval bool is_writable();

template <class T>
consteval bool is_readable();

enum class Direction : std::uint8_t { write, read };

template <class T, Direction D>
consteval bool is_supported() {
  return D == Direction::write ? is_writable<T>() : is_readable<T>();
}

// Returns whether all element types are supported. The members of an aggregate are not checked here, because an
// aggregate may contain itself; they are checked when the function that reads or writes it is compiled.
template <class T, Direction D>
consteval bool are_parts_supported() {
  constexpr Shape shape = kShape<T>;
  if constexpr (shape == Shape::optional || shape == Shape::fixed) {
    return is_supported<typename T::value_type, D>();
  } else if constexpr (shape == Shape::sequence) {
    if constexpr (requires { typename T::value_type; }) {
      return !std::same_as<typename T::value_type, T> && is_supported<typename T::value_type, D>();
    } else {
      return false;
    }
  } else if constexpr (shape == Shape::owner) {
    return is_supported<std::remove_const_t<typename T::element_type>, D>();
  } else if constexpr (shape == Shape::map) {
    return is_supported<typename T::mapped_type, D>();
  } else if constexpr (shape == Shape::variant) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (is_supported<std::variant_alternative_t<I, T>, D>() && ...);
    }(std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (shape == Shape::tuple) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (is_supported<std::tuple_element_t<I, T>, D>() && ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else {
    return shape != Shape::none;
  }
}

template <class T>
consteval bool is_writable() {
  constexpr Shape shape = kShape<T>;
  if constexpr (shape == Shape::converted) {
    if constexpr (requires { typename WrittenAs<T>; }) {
      return is_writable<WrittenAs<T>>();
    } else {
      return false;
    }
  } else if constexpr (shape == Shape::map) {
    return Text<typename T::key_type> && are_parts_supported<T, Direction::write>();
  } else {
    return are_parts_supported<T, Direction::write>();
  }
}

template <class T>
consteval bool is_readable() {
  constexpr Shape shape = kShape<T>;
  if constexpr (shape == Shape::converted) {
    if constexpr (requires { typename ReadAs<T>; }) {
      return std::same_as<ReadAs<T>, std::string_view> || is_readable<ReadAs<T>>();
    } else {
      return false;
    }
  } else if constexpr (!std::default_initializable<T>) {
    return false;
  } else if constexpr (shape == Shape::string) {
    return std::same_as<T, std::string>;
  } else if constexpr (shape == Shape::map) {
    return std::same_as<typename T::key_type, std::string> && are_parts_supported<T, Direction::read>();
  } else if constexpr (shape == Shape::sequence) {
    if constexpr (requires(T& all, typename T::value_type one) { all.insert(all.end(), std::move(one)); }) {
      return are_parts_supported<T, Direction::read>();
    } else {
      return false;
    }
  } else {
    return are_parts_supported<T, Direction::read>();
  }
}

}  // namespace volt::http::json
