// SPDX-License-Identifier: MIT

// Fills an aggregate from the fields of a query or a form, by the names of its members.
//
//   struct Page { int limit = 20; std::optional<std::string> after; std::vector<int> tags; Order order; };
//   fields_to_aggregate<Page>(*parse_query_fields("order=newest&tags=1&tags=2"))
//
// The field of a member may be missing if the member is a std::optional or a std::vector, or if it has a default value
// (reflect/member_default.h). Fields that match no member are ignored. http/web/internal/text_value.h defines how a
// member is read from text.
//
// Threads: pure functions. Errors: one for each member that could not be filled, at most kFieldErrorsMax.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/validation/invalid.h"
#include "http/web/internal/text_value.h"
#include "http/web/query_fields.h"
#include "reflect/aggregate.h"
#include "reflect/member_default.h"
#include "reflect/wrong_type.h"

namespace volt::http::web {

inline constexpr std::size_t kFieldErrorsMax = 16;

struct FieldError {
  std::string field;     // Name of the member; empty for the aggregate as a whole.
  std::string sentence;  // Without a subject: "is missing", "must be true or false".

  bool operator==(const FieldError&) const = default;
};

// At most kFieldErrorsMax errors.
std::vector<FieldError> to_field_errors(std::vector<Invalid> refused);

// The values of all fields with this name; views into `fields`.
inline std::vector<std::string_view> values_of(std::span<const QueryField> fields, std::string_view name) {
  std::vector<std::string_view> values;
  for (const QueryField& field : fields) {
    if (field.name == name) values.push_back(field.value);
  }
  return values;
}

template <class Member>
consteval auto find_wrong_field() {
  if constexpr (kIsTextValue<Member>) {
    return reflect::AllRight();
  } else if constexpr (IsChecked<Member>) {
    return find_wrong_field<typename Member::CheckedValue>();
  } else if constexpr (kIsVector<Member>) {
    return find_wrong_field<typename Member::value_type>();
  } else {
    return reflect::Wrong<Member>();
  }
}

// Finds the first type, T itself or that of a member, for which fields_to_aggregate<T> cannot be called.
template <class T>
consteval auto find_wrong_fields() {
  if constexpr (!reflect::Aggregate<T> || !std::is_default_constructible_v<T>) {
    return reflect::Wrong<T>();
  } else if constexpr (reflect::kHasTooManyMembers<T>) {
    return reflect::Wrong<T>();
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (reflect::AllRight() | ... | find_wrong_field<reflect::MemberType<T, I>>());
    }(std::make_index_sequence<reflect::member_count<T>>());
  }
}

template <class T>
inline constexpr bool kAreFields = reflect::kIsRight<decltype(find_wrong_fields<T>())>;

template <class T, class Found = decltype(find_wrong_fields<T>())>
struct FieldsMistake;
template <class T, class Member>
struct FieldsMistake<T, reflect::Wrong<Member>> : TextMistake<Member> {};
template <class T>
struct FieldsMistake<T, reflect::Wrong<T>> {
  static constexpr bool kIsStruct = reflect::Aggregate<T> && std::is_default_constructible_v<T>;
  static_assert(kIsStruct, "Query and Form take a struct with a default constructor, whose members are read from text");
  static_assert(!kIsStruct, "a struct may have at most 64 members: group some of them in a struct");
};

template <reflect::Aggregate T>
std::expected<T, std::vector<FieldError>> fields_to_aggregate(std::span<const QueryField> fields) {
  T aggregate{};
  std::vector<FieldError> errors;
  reflect::for_each_member(aggregate, [&](auto index, auto& member) {
    const std::vector<std::string_view> values = values_of(fields, reflect::member_name<T, index>);
    if (values.empty() && reflect::member_has_default<T, index>()) return;
    auto value = parse_texts<std::remove_reference_t<decltype(member)>>(values);
    if (value) {
      member = *std::move(value);
    } else if (errors.size() < kFieldErrorsMax) {
      errors.push_back({std::string(reflect::member_name<T, index>), std::move(value).error()});
    }
  });
  if constexpr (validation::HasCheck<T>) {
    if (errors.empty()) errors = to_field_errors(validation::check(aggregate));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return aggregate;
}

}  // namespace volt::http::web
