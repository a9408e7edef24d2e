// SPDX-License-Identifier: MIT

// Selects the alternative of a std::variant that a value is read into: the first one whose form the value has. A value
// has the form of a type if it is of the right kind (string, number, array, ...) and meets these conditions:
//   integers        the type can hold the number
//   enumerations    the string is the name of an enumerator
//   aggregates      all members without a default are present, known members are of the right kind, and there are no
//                   unknown members if JsonOptions refuses them
//
// The choice is final: if reading the chosen alternative fails, no other is tried. Rejected: trying to read each
// alternative completely. That would select more precisely, but if variants are nested in variants, a hostile document
// could make the time exponential in the document's depth. The chosen method takes linear time.
//
// As a consequence, a value may be read as another alternative than the one from which it was written. For example, the
// double 1.0 is written as `1`, and is read back as an int if int precedes double.
//
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "http/json/internal/member_table.h"
#include "http/json/reader.h"
#include "http/json/shape.h"
#include "reflect/aggregate.h"
#include "reflect/enumerator.h"
#include "reflect/member_default.h"

namespace volt::http::json {

template <class T>
inline constexpr auto kMemberNames = reflect::member_names<T>();

template <class T>
constexpr MemberTable member_table() noexcept {
  return {kMemberNames<T>.data(), kMemberNames<T>.size()};
}

template <class T>
constexpr bool fits_kind(Kind kind) noexcept {
  constexpr Shape shape = kShape<T>;
  if constexpr (shape == Shape::converted) {
    return fits_kind<ReadAs<T>>(kind);
  } else if constexpr (shape == Shape::any) {
    return true;
  } else if constexpr (shape == Shape::null) {
    return kind == Kind::null;
  } else if constexpr (shape == Shape::boolean) {
    return kind == Kind::boolean;
  } else if constexpr (shape == Shape::integer || shape == Shape::floating_point) {
    return kind == Kind::number;
  } else if constexpr (shape == Shape::enumeration || shape == Shape::string) {
    return kind == Kind::string;
  } else if constexpr (shape == Shape::optional) {
    return kind == Kind::null || fits_kind<typename T::value_type>(kind);
  } else if constexpr (shape == Shape::owner) {
    return kind == Kind::null || fits_kind<std::remove_const_t<typename T::element_type>>(kind);
  } else if constexpr (shape == Shape::variant) {
    return [kind]<std::size_t... I>(std::index_sequence<I...>) {
      return (fits_kind<std::variant_alternative_t<I, T>>(kind) || ...);
    }(std::make_index_sequence<std::variant_size_v<T>>{});
  } else if constexpr (shape == Shape::fixed || shape == Shape::tuple || shape == Shape::sequence) {
    return kind == Kind::array;
  } else {
    return kind == Kind::object;
  }
}

template <class T>
bool member_fits_kind(std::size_t index, Kind kind) noexcept {
  return [=]<std::size_t... I>(std::index_sequence<I...>) {
    return ((I == index && fits_kind<reflect::MemberType<T, I>>(kind)) || ...);
  }(std::make_index_sequence<reflect::member_count<T>>{});
}

template <class T>
bool fits_aggregate(Reader& probe) {
  constexpr MemberTable table = member_table<T>();
  const bool unknown_fits = probe.options().unknown_fields == UnknownFields::ignore;
  MembersSeen seen;
  std::string_view key;
  Step step = probe.open_object(key);
  for (; step == Step::item; step = probe.next_member(key)) {
    const std::size_t index = table.find(key, 0);
    const bool fits = index == table.count ? unknown_fits : member_fits_kind<T>(index, probe.peek());
    if (!fits) return false;
    if (index != table.count) seen.add(index);
  }
  if (step == Step::failed) return false;
  const auto& defaults = reflect::member_defaults<T>();
  for (std::size_t i = 0; i < table.count; ++i) {
    if (!seen.contains(i) && !defaults[i]) return false;
  }
  return true;
}

template <class T>
bool fits_integer(Reader& probe) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    std::int64_t ignored;
    return probe.read_integer(Limits::min(), Limits::max(), ignored);
  } else {
    std::uint64_t ignored;
    return probe.read_integer(Limits::max(), ignored);
  }
}

template <class T>
bool fits_enumeration(Reader& probe) {
  std::string_view name;
  return probe.read_string_view(name) && reflect::enumerator_value<T>(name).has_value();
}

// Returns whether the next value of `reader` has the form of a T. The reader does not advance.
template <class T>
bool fits(Reader& reader) {
  constexpr Shape shape = kShape<T>;
  const Kind kind = reader.peek();
  if (!fits_kind<T>(kind)) return false;
  if constexpr (shape == Shape::converted) {
    return fits<ReadAs<T>>(reader);
  } else if constexpr (shape == Shape::optional) {
    return kind == Kind::null || fits<typename T::value_type>(reader);
  } else if constexpr (shape == Shape::owner) {
    return kind == Kind::null || fits<std::remove_const_t<typename T::element_type>>(reader);
  } else if constexpr (shape == Shape::variant) {
    return [&reader]<std::size_t... I>(std::index_sequence<I...>) {
      return (fits<std::variant_alternative_t<I, T>>(reader) || ...);
    }(std::make_index_sequence<std::variant_size_v<T>>{});
  } else {
    Reader probe = reader.probe();
    if constexpr (shape == Shape::integer) return fits_integer<T>(probe);
    if constexpr (shape == Shape::enumeration) return fits_enumeration<T>(probe);
    if constexpr (shape == Shape::aggregate) return fits_aggregate<T>(probe);
    return true;
  }
}

}  // namespace volt::http::json
