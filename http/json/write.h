// SPDX-License-Identifier: MIT

// Writes a value of any supported type as JSON directly into a string.
//
// Threads: pure functions, if reading the value is free of data races.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "http/json/append.h"
#include "http/json/shape.h"
#include "reflect/aggregate.h"
#include "reflect/enumerator.h"
#include "reflect/text.h"

namespace volt::http::json {

template <class T>
void write(const T& value, std::string& out);

void append_value(const JsonValue& value, std::string& out);

template <class E>
void write_enumeration(E value, std::string& out) {
  const std::string_view name = reflect::enumerator_name(value);
  if (!name.empty()) {
    append_string(name, out);
  } else {
    write(static_cast<std::underlying_type_t<E>>(value), out);
  }
}

template <class T>
void write_string(const T& value, std::string& out) {
  if constexpr (std::is_pointer_v<T>) {
    if (value == nullptr) {
      out += "null";
      return;
    }
  }
  append_string(value, out);
}

template <class T>
void write_array(const T& range, std::string& out) {
  char before = '[';
  for (auto&& element : range) {
    out += before;
    before = ',';
    write<typename T::value_type>(element, out);  // names the type for std::vector<bool>, whose elements are proxies
  }
  out += before == '[' ? "[]" : "]";
}

template <class T>
void write_map(const T& map, std::string& out) {
  char before = '{';
  for (const auto& [key, element] : map) {
    out += before;
    before = ',';
    append_string(key, out);
    out += ':';
    write(element, out);
  }
  out += before == '{' ? "{}" : "}";
}

template <class T>
void write_tuple(const T& tuple, std::string& out) {
  out += '[';
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((I == 0 ? void() : out.push_back(','), write(std::get<I>(tuple), out)), ...);
  }(std::make_index_sequence<std::tuple_size_v<T>>{});
  out += ']';
}

// Returns `{"name":` for the first member and `,"name":` for the others. The name is an identifier, so it needs no
// escapes.
template <class T, std::size_t I>
consteval auto make_key() {
  constexpr std::string_view name = reflect::member_name<T, I>;
  reflect::Text<name.size() + 4> key;
  char* at = key.chars;
  *at++ = I == 0 ? '{' : ',';
  *at++ = '"';
  for (const char c : name) *at++ = c;
  *at++ = '"';
  *at++ = ':';
  return key;
}

template <class T, std::size_t I>
inline constexpr auto kKey = make_key<T, I>();

template <class T>
void write_aggregate(const T& aggregate, std::string& out) {
  reflect::for_each_member(aggregate, [&out](auto index, const auto& member) {
    out += kKey<T, index>.view();
    write(member, out);
  });
  out += reflect::member_count<T> == 0 ? "{}" : "}";
}

template <class T>
void write(const T& value, std::string& out) {
  constexpr Shape shape = kShape<T>;
  if constexpr (shape == Shape::converted) {
    write(JsonConverter<T>::to(value), out);
  } else if constexpr (shape == Shape::any) {
    append_value(value, out);
  } else if constexpr (shape == Shape::null) {
    out += "null";
  } else if constexpr (shape == Shape::boolean) {
    out += value ? "true" : "false";
  } else if constexpr (shape == Shape::integer) {
    using Widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    append_integer(static_cast<Widest>(value), out);
  } else if constexpr (shape == Shape::floating_point) {
    append_number(value, out);
  } else if constexpr (shape == Shape::enumeration) {
    write_enumeration(value, out);
  } else if constexpr (shape == Shape::string) {
    write_string(value, out);
  } else if constexpr (shape == Shape::optional || shape == Shape::owner) {
    if (value) {
      write(*value, out);
    } else {
      out += "null";
    }
  } else if constexpr (shape == Shape::variant) {
    std::visit([&out](const auto& alternative) { write(alternative, out); }, value);
  } else if constexpr (shape == Shape::map) {
    write_map(value, out);
  } else if constexpr (shape == Shape::tuple) {
    write_tuple(value, out);
  } else if constexpr (shape == Shape::fixed || shape == Shape::sequence) {
    write_array(value, out);
  } else if constexpr (shape == Shape::aggregate) {
    write_aggregate(value, out);
  } else {
    static_assert(
        shape != Shape::none,
        "this type has no JSON form: it is not a number, text, enum with an underlying type, container or plain "
        "struct; specialize volt::http::JsonConverter for it");
  }
}

}  // namespace volt::http::json
