// SPDX-License-Identifier: MIT

// Reflection of aggregates: the number of members, their names and their values, without a macro or a registration.
//
//   struct Item { std::int64_t id; std::string name; };
//   member_count<Item> == 2;  member_name<Item, 1> == "name";  get_member<0>(item) = 7;
//
// The number of members is the number of initializers that the aggregate accepts. A member's name is parsed from the
// compiler's spelling of a pointer to the member. Rejected: a macro that lists the members (each would be written
// twice), and generated code.
//
// Limits: no base classes, bit-fields, C arrays (use std::array) or unions; at most 64 members.
// Threads: pure functions and constants. Lifetime: names are static; members are references into the value.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "reflect/text.h"
#include "reflect/visit_members.h"

namespace volt::reflect {

// Converts to any type except the aggregate itself: Whole{Any} must initialize the first member, not copy the
// aggregate.
template <class Whole>
struct AnyMember {
  template <class T>
    requires(!std::is_same_v<T, Whole>)
  operator T() const noexcept {
    __builtin_trap();  // used in unevaluated operands only
  }
};

template <class Whole>
struct AnyBase {
  template <class T>
    requires(std::is_base_of_v<T, Whole> && !std::is_same_v<T, Whole>)
  operator T() const noexcept {
    __builtin_trap();
  }
};
// NOLINTEND(google-explicit-constructor)

template <class T, class... Initialisers>
concept InitialisedBy = requires { T{std::declval<Initialisers>()...}; };

template <class T, std::size_t... I>
constexpr bool takes_initialisers(std::index_sequence<I...>) noexcept {
  return InitialisedBy<T, decltype(static_cast<void>(I), AnyMember<T>{})...>;
}

// Returns the largest number of initializers that T accepts, which is the number of members. T may reject smaller
// numbers, for example 0 if a member cannot be default-initialized, so the search stops only after an accepted number.
template <class T, std::size_t Count = 0, bool Taken = false>
constexpr std::size_t count_members() noexcept {
  constexpr bool takes = takes_initialisers<T>(std::make_index_sequence<Count>{});
  if constexpr (Taken && !takes) {
    return Count - 1;
  } else if constexpr (Count > kMembersMax) {
    return Count;  // too many members: kHasTooManyMembers is true
  } else {
    return count_members<T, Count + 1, takes>();
  }
}

template <class T>
concept Range = requires(T& value) { value.begin() != value.end(); };

template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };

// The types that the functions below accept. Ranges and tuples (std::array is both, and an aggregate) are excluded,
// because they have a meaning of their own.
template <class T>
concept Aggregate =
    std::is_class_v<T> && std::is_aggregate_v<T> && !Range<T> && !TupleLike<T> && !InitialisedBy<T, AnyBase<T>>;

template <Aggregate T>
inline constexpr std::size_t member_count = count_members<T>();

// True for an aggregate that the functions below do not accept.
template <class T>
inline constexpr bool kHasTooManyMembers = false;
template <Aggregate T>
inline constexpr bool kHasTooManyMembers<T> = (member_count<T> > kMembersMax);

// from() returns the member behind the first pointer after the skipped ones. It needs no recursion: the skipped
// arguments convert to `const volatile void*`.
template <class Skipped>
struct Pick;

template <std::size_t... Skipped>
struct Pick<std::index_sequence<Skipped...>> {
  template <std::size_t>
  using Any = const volatile void*;

  template <class Member, class... After>
  static constexpr Member& from(Any<Skipped>..., Member* member, After*...) noexcept {
    return *member;
  }
};

// Returns a reference to member I of `value`, which may be const.
template <std::size_t I, class T>
constexpr auto& get_member(T& value) noexcept {
  return visit_members<member_count<std::remove_const_t<T>>>(value, [](auto&... members) -> auto& {
    return Pick<std::make_index_sequence<I>>::from(__builtin_addressof(members)...);
  });
}

template <Aggregate T, std::size_t I>
using MemberType = std::remove_cvref_t<decltype(get_member<I>(std::declval<T&>()))>;

// Calls f(std::integral_constant<std::size_t, I>, member) for each member, in order.
template <class T, class F>
constexpr void for_each_member(T& value, F&& f) {
  constexpr std::size_t count = member_count<std::remove_const_t<T>>;
  visit_members<count>(value, [&f](auto&... members) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (static_cast<void>(f(std::integral_constant<std::size_t, I>{}, members)), ...);
    }(std::make_index_sequence<count>{});
  });
}

template <class T>
struct External {
  T value;
};

template <class Member>
struct Pointer {
  const Member* address;
};

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-internal"      // `external` is never defined: only its address is used
#pragma clang diagnostic ignored "-Wundefined-var-template"  // `external` has no definition
#endif

template <class T>
extern const External<T> external;

template <class T, std::size_t I>
constexpr auto pointer_to_member() noexcept {
  auto& member = get_member<I>(external<T>.value);
  return Pointer<std::remove_cvref_t<decltype(member)>>{__builtin_addressof(member)};
}

template <auto Named>
constexpr const char* signature() noexcept {
  return __PRETTY_FUNCTION__;
}

template <class T, std::size_t I>
constexpr auto make_member_name() noexcept {
  constexpr std::string_view name = last_word(signature<pointer_to_member<T, I>()>());
  return Text<name.size()>::copy(name);
}

template <class T, std::size_t I>
inline constexpr auto kMemberName = make_member_name<T, I>();

#ifdef __clang__
#pragma clang diagnostic pop
#endif

template <Aggregate T, std::size_t I>
inline constexpr std::string_view member_name = kMemberName<T, I>.view();

template <Aggregate T>
constexpr std::array<std::string_view, member_count<T>> member_names() noexcept {
  return []<std::size_t... I>(std::index_sequence<I...>) -> std::array<std::string_view, sizeof...(I)> {
    return {member_name<T, I>...};
  }
  (std::make_index_sequence<member_count<T>>{});
}

}  // namespace volt::reflect
