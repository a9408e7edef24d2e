// SPDX-License-Identifier: MIT

// Calls a function with all members of an aggregate. C++23 cannot bind an unknown number of members, so the bindings
// are written out for each count, by macros that exist in this file only.
//
// Threads: pure functions.
#pragma once

#include <cstddef>

namespace volt::reflect {

inline constexpr std::size_t kMembersMax = 64;

// clang-format off
#define VOLT_BIND(count, ...)                \
  else if constexpr (Count == (count)) {     \
    auto& [__VA_ARGS__] = value;             \
    return visitor(__VA_ARGS__);             \
  }
// The bindings of eight counts, from base + 1 on: the members named before, and up to eight named m0 to m7.
#define VOLT_BIND_EIGHT(base, m, ...)                                                         \
  VOLT_BIND(base + 1, __VA_ARGS__ __VA_OPT__(,) m##0)                                         \
  VOLT_BIND(base + 2, __VA_ARGS__ __VA_OPT__(,) m##0, m##1)                                   \
  VOLT_BIND(base + 3, __VA_ARGS__ __VA_OPT__(,) m##0, m##1, m##2)                             \
  VOLT_BIND(base + 4, __VA_ARGS__ __VA_OPT__(,) m##0, m##1, m##2, m##3)                       \
  VOLT_BIND(base + 5, __VA_ARGS__ __VA_OPT__(,) m##0, m##1, m##2, m##3, m##4)                 \
  VOLT_BIND(base + 6, __VA_ARGS__ __VA_OPT__(,) m##0, m##1, m##2, m##3, m##4, m##5)           \
  VOLT_BIND(base + 7, __VA_ARGS__ __VA_OPT__(,) m##0, m##1, m##2, m##3, m##4, m##5, m##6)     \
  VOLT_BIND(base + 8, __VA_ARGS__ __VA_OPT__(,) VOLT_EIGHT(m))
#define VOLT_EIGHT(m) m##0, m##1, m##2, m##3, m##4, m##5, m##6, m##7

// Calls visitor(first, second, ...) with the members as lvalues, which are const if `value` is const. `Count` is the
// number of members, at most kMembersMax.
template <std::size_t Count, class T, class F>
constexpr decltype(auto) visit_members(T& value, F&& visitor) {
  if constexpr (Count == 0) {
    return visitor();
  }
  VOLT_BIND_EIGHT(0, a)
  VOLT_BIND_EIGHT(8, b, VOLT_EIGHT(a))
  VOLT_BIND_EIGHT(16, c, VOLT_EIGHT(a), VOLT_EIGHT(b))
  VOLT_BIND_EIGHT(24, d, VOLT_EIGHT(a), VOLT_EIGHT(b), VOLT_EIGHT(c))
  VOLT_BIND_EIGHT(32, e, VOLT_EIGHT(a), VOLT_EIGHT(b), VOLT_EIGHT(c), VOLT_EIGHT(d))
  VOLT_BIND_EIGHT(40, f, VOLT_EIGHT(a), VOLT_EIGHT(b), VOLT_EIGHT(c), VOLT_EIGHT(d), VOLT_EIGHT(e))
  VOLT_BIND_EIGHT(48, g, VOLT_EIGHT(a), VOLT_EIGHT(b), VOLT_EIGHT(c), VOLT_EIGHT(d), VOLT_EIGHT(e), VOLT_EIGHT(f))
  VOLT_BIND_EIGHT(56, h, VOLT_EIGHT(a), VOLT_EIGHT(b), VOLT_EIGHT(c), VOLT_EIGHT(d), VOLT_EIGHT(e), VOLT_EIGHT(f),
                  VOLT_EIGHT(g))
  else {
    static_assert(Count <= kMembersMax, "a struct may have at most 64 members: group some of them in a struct");
  }
}

#undef VOLT_BIND
#undef VOLT_BIND_EIGHT
#undef VOLT_EIGHT
// clang-format on

}  // namespace volt::reflect
