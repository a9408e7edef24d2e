// SPDX-License-Identifier: MIT

// Fills a value of any supported type from a document.
//
// Each function returns false if reading fails; the value may then be partly filled.
//
// Threads: as for Reader (http/json/reader.h). Recursion: as deep as the document, whose depth JsonOptions::depth_max
// bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "http/json/fits.h"
#include "http/json/internal/expected.h"
#include "http/json/internal/member_table.h"
#include "http/json/reader.h"
#include "http/json/shape.h"
#include "reflect/aggregate.h"
#include "reflect/enumerator.h"
#include "reflect/member_default.h"

namespace volt::http::json {

template <class T>
bool read(Reader& reader, T& value);

bool read_value(Reader& reader, JsonValue& value);

template <class T>
bool read_integer(Reader& reader, T& value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    std::int64_t wide = 0;
    if (!reader.read_integer(Limits::min(), Limits::max(), wide)) return false;
    value = static_cast<T>(wide);
  } else {
    std::uint64_t wide = 0;
    if (!reader.read_integer(Limits::max(), wide)) return false;
    value = static_cast<T>(wide);
  }
  return true;
}

template <class E>
bool read_enumeration(Reader& reader, E& value) {
  if (reader.peek() != Kind::string) return reader.fail_type(expected<E>());
  std::string_view name;
  if (!reader.read_string_view(name)) return false;
  if (const auto found = reflect::enumerator_value<E>(name)) {
    value = *found;
    return true;
  }
  std::string detail = "expected " + expected<E>();
  detail.append(", found \"").append(shortened(name, 40)).append("\"");
  return reader.fail(JsonError::Kind::invalid, std::move(detail));
}

template <class T>
bool read_converted(Reader& reader, T& value) {
  ReadAs<T> read_as{};
  if constexpr (std::is_same_v<ReadAs<T>, std::string_view>) {
    if (!reader.read_string_view(read_as)) return false;
  } else {
    if (!read(reader, read_as)) return false;
  }
  auto converted = JsonConverter<T>::from(std::move(read_as));
  if (!converted) return reader.fail(JsonError::Kind::invalid, std::move(converted.error()));
  value = std::move(*converted);
  return true;
}

template <class T>
bool read_optional(Reader& reader, T& value) {
  if (reader.peek() != Kind::null) return read(reader, value.emplace());
  value.reset();
  return reader.read_null();
}

template <class T>
bool read_owner(Reader& reader, T& value) {
  using Element = std::remove_const_t<typename T::element_type>;
  value.reset();
  if (reader.peek() == Kind::null) return reader.read_null();
  auto* element = new Element{};
  value.reset(element);
  return read(reader, *element);
}

// Reads the alternative that `fits` selects; fails if none fits.
template <class T>
bool read_variant(Reader& reader, T& value) {
  bool chosen = false;
  bool complete = false;
  const auto try_alternative = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    chosen = fits<std::variant_alternative_t<I, T>>(reader);
    if (chosen) complete = read(reader, value.template emplace<I>());
    return chosen;
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (try_alternative(std::integral_constant<std::size_t, I>{}) || ...);
  }(std::make_index_sequence<std::variant_size_v<T>>{});
  if (chosen) return complete;
  return reader.fail_type(expected<T>());
}

template <class T>
bool read_map(Reader& reader, T& map) {
  map.clear();
  const std::size_t errors = reader.error_count();
  std::string_view key;
  Step step = reader.open_object(key);
  for (; step == Step::item; step = reader.next_member(key)) {
    const std::size_t since = reader.error_count();
    const auto [place, fresh] = map.try_emplace(std::string(key));
    const bool good = fresh ? read(reader, place->second) : fail_duplicate(reader);
    if (!good && !reader.within(place->first, since)) return false;
  }
  return step == Step::end && reader.error_count() == errors;
}

template <class T>
bool read_sequence(Reader& reader, T& sequence) {
  sequence.clear();
  const std::size_t errors = reader.error_count();
  std::size_t index = 0;
  Step step = reader.open_array();
  for (; step == Step::item; step = reader.next_element(), ++index) {
    const std::size_t since = reader.error_count();
    typename T::value_type element{};
    if (read(reader, element)) {
      sequence.insert(sequence.end(), std::move(element));
    } else if (!reader.within(index, since)) {
      return false;
    }
  }
  return step == Step::end && reader.error_count() == errors;
}

// Reads an array of exactly Count elements; read_at(index) reads one element.
template <std::size_t Count, class F>
bool read_exactly(Reader& reader, F&& read_at) {
  const auto fail_size = [&reader](const char* found) {
    return reader.fail(JsonError::Kind::type, "expected an array of " + std::to_string(Count) + ", found " + found);
  };
  const std::size_t errors = reader.error_count();
  std::size_t index = 0;
  Step step = reader.open_array();
  for (; step == Step::item; step = reader.next_element()) {
    if (index == Count) {
      reader.stop();
      return fail_size("more");
    }
    const std::size_t since = reader.error_count();
    if (!read_at(index) && !reader.within(index, since)) return false;
    ++index;
  }
  if (step == Step::failed) return false;
  return (index == Count || fail_size("fewer")) && reader.error_count() == errors;
}

template <class T>
bool read_tuple(Reader& reader, T& tuple) {
  constexpr std::size_t size = std::tuple_size_v<T>;
  return read_exactly<size>(reader, [&](std::size_t index) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((I == index && read(reader, std::get<I>(tuple))) || ...);
    }(std::make_index_sequence<size>{});
  });
}

template <class T>
bool read_member(Reader& reader, T& aggregate, std::size_t wanted) {
  bool complete = false;
  reflect::for_each_member(aggregate, [&](auto index, auto& member) {
    if (index == wanted) complete = read(reader, member);
  });
  return complete;
}

// Returns false if the member is missing and no further error may be added.
template <class T, std::size_t I>
bool check_member(Reader& reader, MembersSeen seen) {
  if (seen.contains(I) || reflect::member_has_default<T, I>()) return true;
  return fail_missing(reader, kMemberNames<T>[I], expected<reflect::MemberType<T, I>>());
}

template <class T>
bool check_members(Reader& reader, MembersSeen seen) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (check_member<T, I>(reader, seen) && ...);
  }(std::make_index_sequence<reflect::member_count<T>>{});
}

template <class T>
bool read_aggregate(Reader& reader, T& aggregate) {
  constexpr MemberTable table = member_table<T>();
  const std::size_t errors = reader.error_count();
  MembersSeen seen;
  std::size_t index = 0;
  std::string_view key;
  Step step = reader.open_object(key);
  for (; step == Step::item; step = reader.next_member(key)) {
    const std::size_t since = reader.error_count();
    const std::size_t found = table.find(key, index);
    bool good = false;
    if (found == table.count) {
      good = check_unknown(reader);
    } else {
      good = seen.add(found) ? read_member(reader, aggregate, found) : fail_duplicate(reader);
      index = found + 1;
    }
    if (!good && !reader.within(key, since)) return false;
  }
  if (step == Step::failed || !check_members<T>(reader, seen) || reader.error_count() != errors) return false;
  if constexpr (validation::HasCheck<T>) return reader.accept(validation::check(aggregate));
  return true;
}

template <class T>
bool read(Reader& reader, T& value) {
  static_assert(is_readable<T>(),
                "this type cannot be read from JSON: it must have a default constructor and be a number, std::string, "
                "enum with an underlying type, container that owns its elements, or plain struct; or specialize "
                "volt::http::JsonConverter for it");
  constexpr Shape shape = kShape<T>;
  // clang-format off
  if constexpr (shape == Shape::converted) return read_converted(reader, value);
  else if constexpr (shape == Shape::any) return read_value(reader, value);
  else if constexpr (shape == Shape::null) return reader.read_null();
  else if constexpr (shape == Shape::boolean) return reader.read_boolean(value);
  else if constexpr (shape == Shape::integer) return read_integer(reader, value);
  else if constexpr (shape == Shape::floating_point) return reader.read_number(value);
  else if constexpr (shape == Shape::enumeration) return read_enumeration(reader, value);
  else if constexpr (shape == Shape::string) return reader.read_string(value);
  else if constexpr (shape == Shape::optional) return read_optional(reader, value);
  else if constexpr (shape == Shape::owner) return read_owner(reader, value);
  else if constexpr (shape == Shape::variant) return read_variant(reader, value);
  else if constexpr (shape == Shape::map) return read_map(reader, value);
  else if constexpr (shape == Shape::tuple) return read_tuple(reader, value);
  else if constexpr (shape == Shape::sequence) return read_sequence(reader, value);
  else if constexpr (shape == Shape::aggregate) return read_aggregate(reader, value);
  else if constexpr (shape == Shape::fixed) {
    return read_exactly<std::tuple_size_v<T>>(reader, [&](std::size_t i) { return read(reader, value[i]); });
  }
  // clang-format on
}

}  // namespace volt::http::json
