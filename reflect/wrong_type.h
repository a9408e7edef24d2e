// SPDX-License-Identifier: MIT

// Wrong: the first part of a type that cannot be used, found at compile time.
//
// A check has two steps: a function returns AllRight or a Wrong, and a class template states the reason by an
// assertion. If the function itself failed an assertion, the compiler would report a second error, for the constant
// expression that calls the function. Code that needs the type is compiled only if all is right, so the reason is the
// only error.
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
