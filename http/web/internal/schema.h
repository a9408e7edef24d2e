// SPDX-License-Identifier: MIT

// The JSON Schema of a C++ type: of the JSON that http/json/json.h reads and writes, and of the text that
// http/web/internal/text_value.h reads.
//
// One schema describes both input and output. It requires only the members that input must have; output always has all
// members.
//
// Threads: pure functions, except that they add to the given Schemas.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "http/json/fits.h"
#include "http/json/shape.h"
#include "http/json/write.h"
#include "http/web/internal/text_value.h"
#include "http/web/schemas.h"
#include "reflect/aggregate.h"
#include "reflect/enumerator.h"
#include "reflect/member_default.h"

namespace volt::http::openapi {

template <class T>
std::string schema_of(Schemas& schemas);

// Calls f(index, member, required) for each member. `member` points to the member of a default-constructed T; it is
// null if T has no default constructor. `required` is true if input must have the member.
template <class T, class F>
void for_each_default(F&& f) {
  if constexpr (std::is_default_constructible_v<T>) {
    const T value{};
    reflect::for_each_member(
        value, [&](auto index, const auto& member) { f(index, &member, !reflect::member_has_default<T, index>()); });
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(std::integral_constant<std::size_t, I>{}, static_cast<const reflect::MemberType<T, I>*>(nullptr), true), ...);
    }(std::make_index_sequence<reflect::member_count<T>>{});
  }
}

// The member's default as JSON; empty if it has none.
template <class Member>
std::string default_of(const Member* member, bool required) {
  std::string value;
  if constexpr (json::is_writable<Member>()) {
    if (!required && member != nullptr) json::write(*member, value);
  }
  return value;
}

template <class T>
void compose_object(Schemas& schemas, ObjectSchema& object) {
  for_each_default<T>([&](auto index, const auto* member, bool required) {
    using Member = reflect::MemberType<T, index>;
    object.member(reflect::member_name<T, index>,
                  with_default(schema_of<Member>(schemas), default_of(member, required)), required);
  });
}

template <class E>
std::string enumeration_schema() {
  std::string words;
  for (const auto& enumerator : reflect::enumerators<E>) add_word(words, enumerator.name);
  return words_schema(words);
}

template <class T>
std::string converted_schema(Schemas& schemas) {
  if constexpr (requires { std::string_view(JsonConverter<T>::kSchema); }) {
    return std::string(JsonConverter<T>::kSchema);
  } else if constexpr (web::IsChecked<T>) {
    return with_rules(schema_of<typename T::CheckedValue>(schemas), T::schema_members());
  } else if constexpr (requires { typename json::WrittenAs<T>; }) {
    return schema_of<json::WrittenAs<T>>(schemas);
  } else {
    return schema_of<json::ReadAs<T>>(schemas);
  }
}

// Returns true if every kind of JSON value (string, number, ...) fits at most one alternative of the variant T.
// Otherwise a value may fit several alternatives, of which reading chooses the first.
template <class T>
constexpr bool alternatives_exclude_each_other() {
  if constexpr (json::is_readable<T>()) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      using enum json::Kind;
      for (const json::Kind kind : {null, boolean, number, string, array, object}) {
        if ((json::fits_kind<std::variant_alternative_t<I, T>>(kind) + ... + 0) > 1) return false;
      }
      return true;
    }(std::make_index_sequence<std::variant_size_v<T>>{});
  } else {
    return false;
  }
}

template <class T>
std::string variant_schema(Schemas& schemas) {
  std::string all;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((all.append(I == 0 ? "" : ",").append(schema_of<std::variant_alternative_t<I, T>>(schemas))), ...);
  }(std::make_index_sequence<std::variant_size_v<T>>{});
  return choice_schema(alternatives_exclude_each_other<T>() ? "oneOf" : "anyOf", all);
}

template <class T>
std::string tuple_schema(Schemas& schemas) {
  std::string all;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((all.append(I == 0 ? "" : ",").append(schema_of<std::tuple_element_t<I, T>>(schemas))), ...);
  }(std::make_index_sequence<std::tuple_size_v<T>>{});
  return tuple_schema(all, std::tuple_size_v<T>);
}

template <class T>
std::string schema_of(Schemas& schemas) {
  constexpr json::Shape shape = json::kShape<T>;
  // clang-format off
  if constexpr (shape == json::Shape::converted) return converted_schema<T>(schemas);
  else if constexpr (shape == json::Shape::null) return plain_schema("null");
  else if constexpr (shape == json::Shape::boolean) return plain_schema("boolean");
  else if constexpr (shape == json::Shape::integer) return integer_schema(std::is_signed_v<T>, 8 * sizeof(T));
  else if constexpr (shape == json::Shape::floating_point) return plain_schema("number", sizeof(T) == 4 ? "float" : "double");
  else if constexpr (shape == json::Shape::enumeration) return enumeration_schema<T>();
  else if constexpr (shape == json::Shape::string) return plain_schema("string");
  else if constexpr (shape == json::Shape::optional) return nullable_schema(schema_of<typename T::value_type>(schemas));
  else if constexpr (shape == json::Shape::owner) return nullable_schema(schema_of<std::remove_const_t<typename T::element_type>>(schemas));
  else if constexpr (shape == json::Shape::variant) return variant_schema<T>(schemas);
  else if constexpr (shape == json::Shape::map) return map_schema(schema_of<typename T::mapped_type>(schemas));
  else if constexpr (shape == json::Shape::fixed) return array_schema(schema_of<typename T::value_type>(schemas), std::tuple_size_v<T>);
  else if constexpr (shape == json::Shape::tuple) return tuple_schema<T>(schemas);
  else if constexpr (shape == json::Shape::sequence) return array_schema(schema_of<typename T::value_type>(schemas));
  else if constexpr (shape == json::Shape::aggregate) return schemas.reference(message::type_id<T>(), message::type_name<T>(), compose_object<T>);
  else return "{}";
  // clang-format on
}

// Schema of a type that is read from text: parameters, and fields of forms.
template <class T>
std::string text_schema_of(Schemas& schemas) {
  if constexpr (web::HasFromText<T>) {
    return plain_schema("string");
  } else if constexpr (web::IsChecked<T>) {
    return with_rules(text_schema_of<typename T::CheckedValue>(schemas), T::schema_members());
  } else if constexpr (web::kIsOptional<T>) {
    return text_schema_of<typename T::value_type>(schemas);
  } else if constexpr (web::kIsVector<T>) {
    return array_schema(text_schema_of<typename T::value_type>(schemas));
  } else if constexpr (std::is_same_v<T, char>) {
    return character_schema();
  } else {
    return schema_of<T>(schemas);
  }
}

// Calls f(name, schema, required) for each field of a query or a form.
template <class T, class F>
void for_each_field(Schemas& schemas, F&& f) {
  for_each_default<T>([&](auto index, const auto* member, bool required) {
    using Member = reflect::MemberType<T, index>;
    bool needed = required && !web::kIsOptional<Member> && !web::kIsVector<Member>;
    if constexpr (web::IsChecked<Member>) {  // An absent list is an empty one, which may break a rule.
      if constexpr (web::kIsVector<typename Member::CheckedValue>) needed = required && !Member::holds({});
    }
    f(reflect::member_name<T, index>, with_default(text_schema_of<Member>(schemas), default_of(member, required)),
      needed);
  });
}

template <class T>
std::string form_schema_of(Schemas& schemas) {
  ObjectSchema object;
  for_each_field<T>(schemas, [&](std::string_view name, const std::string& schema, bool required) {
    object.member(name, schema, required);
  });
  return object.finish();
}

}  // namespace volt::http::openapi
