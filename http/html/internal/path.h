// SPDX-License-Identifier: MIT

// Finds what a path of a template names: a variable of a loop, a member of the view, members of members.
//
// The functions call another function with a reference to the value. They do not call it if an optional or a pointer
// on the way is empty.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "http/html/internal/compiled.h"
#include "http/json/shape.h"
#include "http/validation/checked.h"
#include "reflect/aggregate.h"

namespace volt::http::html {

// How a template sees the members of a T: find() returns the index of a name, or `size` if there is none.
template <class T>
struct MembersOf;

template <reflect::Aggregate T>
  requires(!reflect::kHasTooManyMembers<T>)
struct MembersOf<T> {
  static constexpr std::size_t size = reflect::member_count<T>;

  static consteval std::size_t find(std::string_view name) noexcept {
    const auto names = reflect::member_names<T>();
    std::size_t i = 0;
    while (i != size && names[i] != name) ++i;
    return i;
  }
  template <std::size_t I>
  static const auto& get(const T& value) noexcept {
    return reflect::get_member<I>(value);
  }
};

template <class T>
concept HasMembers = requires { MembersOf<T>::size; };

template <class T>
concept ObjectPointer = std::is_pointer_v<T> && std::is_object_v<std::remove_pointer_t<T>> && !json::Text<T>;

// Refers to another value, or to none.
template <class T>
concept Reference = json::Optional<T> || json::Owner<T> || ObjectPointer<T>;

// The type behind optionals, pointers and Checked.
template <class T>
struct UnwrappedType {
  using Type = T;
};
template <validation::IsChecked T>
struct UnwrappedType<T> : UnwrappedType<typename T::CheckedValue> {};
template <Reference T>
struct UnwrappedType<T> : UnwrappedType<std::remove_cvref_t<decltype(*std::declval<const T&>())>> {};

template <class T>
using Unwrapped = UnwrappedType<T>::Type;

// Calls f with the value itself: not with its optional, its pointer or its Checked.
template <class T, class F>
void unwrapped(const T& value, F&& f) {
  if constexpr (validation::IsChecked<T>) {
    unwrapped(value.value(), f);
  } else if constexpr (Reference<T>) {
    if (value) unwrapped(*value, f);
  } else {
    f(value);
  }
}

// A path, and the view in whose template it is.
template <class In, Span span>
struct Path {
  using View = In;
  static constexpr std::string_view text = span.of(View::html.text());
  static constexpr std::size_t first_size = text.find('.') == std::string_view::npos ? text.size() : text.find('.');
  static constexpr bool has_more = first_size != text.size();
  static constexpr Span first = {span.begin, first_size};
  static constexpr std::string_view first_text = text.substr(0, first_size);
  using Rest = Path<View, Span{static_cast<std::uint32_t>(span.begin + first_size + has_more),
                               static_cast<std::uint32_t>(span.size - first_size - has_more)}>;
};

// Calls f with what `Path` names, seen from `value`.
template <class Path, class T, class F>
void with_member(const T& value, F&& f) {
  using Struct = Unwrapped<T>;
  if constexpr (!HasMembers<Struct>) {
    static_cast<void>(sizeof(MistakeAt<TemplateError::no_struct, typename Path::View, Path::first, Struct>));
  } else if constexpr (MembersOf<Struct>::find(Path::first_text) == MembersOf<Struct>::size) {
    static_cast<void>(sizeof(MistakeAt<TemplateError::no_member, typename Path::View, Path::first, Struct>));
  } else {
    unwrapped(value, [&f](const Struct& object) {
      const auto& member = MembersOf<Struct>::template get<MembersOf<Struct>::find(Path::first_text)>(object);
      if constexpr (Path::has_more) {
        with_member<typename Path::Rest>(member, f);
      } else {
        f(member);
      }
    });
  }
}

// The outermost names of a template: the members of its view.
template <class View>
struct ViewScope {
  const View& view;

  template <class Path, class F>
  void with(F&& f) const {
    with_member<Path>(view, f);
  }
};

// The names in the body of a loop: its variable, then those around it.
template <class Outer, class Variable, class Element>
struct LoopScope {
  const Outer& outer;
  const Element& element;

  template <class Path, class F>
  void with(F&& f) const {
    if constexpr (Path::first_text != Variable::text) {
      outer.template with<Path>(f);
    } else if constexpr (Path::has_more) {
      with_member<typename Path::Rest>(element, f);
    } else {
      f(element);
    }
  }
};

}  // namespace volt::http::html
