// SPDX-License-Identifier: MIT

// Wrong: the first part of a type that cannot be used, found at compile time.
//
// A check is in two steps, because a constant expression in which an assertion fails is one error more for the
// compiler: a function returns AllRight or a Wrong, and a class template states the reason by an assertion. Code that
// needs the type is compiled only if all is right, so the reason is the only error.
//
// Threads: constants.
#pragma once

#include <type_traits>

namespace volt::reflect {

struct AllRight {};

// `T` is the wrong type, and `In` are the types that contain it, the outermost first.
template <class T, class... In>
struct Wrong {};

template <class Next>
consteval Next operator|(AllRight, Next) noexcept {
  return {};
}
template <class T, class... In, class Next>
consteval Wrong<T, In...> operator|(Wrong<T, In...>, Next) noexcept {
  return {};
}

template <class Found>
inline constexpr bool kIsRight = std::is_same_v<Found, AllRight>;

}  // namespace volt::reflect
