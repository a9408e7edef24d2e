// SPDX-License-Identifier: MIT

// Calls a function with all members of an aggregate. C++23 cannot bind an unknown number of members, so the bindings
// are written out for each count.
//
// Threads: pure functions.
#pragma once

#include <cstddef>

namespace volt::reflect {

inline constexpr std::size_t kMembersMax = 32;

// Calls visitor(first, second, ...) with the members as lvalues, which are const if `value` is const. `Count` is the
// number of members, at most kMembersMax.
// clang-format off
template <std::size_t Count, class T, class F>
constexpr decltype(auto) visit_members(T& value, F&& visitor) {
  if constexpr (Count == 0) {
    return visitor();
  } else if constexpr (Count == 1) {
    auto& [a] = value;
    return visitor(a);
  } else if constexpr (Count == 2) {
    auto& [a, b] = value;
    return visitor(a, b);
  } else if constexpr (Count == 3) {
    auto& [a, b, c] = value;
    return visitor(a, b, c);
  } else if constexpr (Count == 4) {
    auto& [a, b, c, d] = value;
    return visitor(a, b, c, d);
  } else if constexpr (Count == 5) {
    auto& [a, b, c, d, e] = value;
    return visitor(a, b, c, d, e);
  } else if constexpr (Count == 6) {
    auto& [a, b, c, d, e, f] = value;
    return visitor(a, b, c, d, e, f);
  } else if constexpr (Count == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return visitor(a, b, c, d, e, f, g);
  } else if constexpr (Count == 8) {
    auto& [a, b, c, d, e, f, g, h] = value;
    return visitor(a, b, c, d, e, f, g, h);
  } else if constexpr (Count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = value;
    return visitor(a, b, c, d, e, f, g, h, i);
  } else if constexpr (Count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (Count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (Count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (Count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (Count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (Count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (Count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (Count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (Count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (Count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (Count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (Count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (Count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (Count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else if constexpr (Count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  } else if constexpr (Count == 25) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y);
  } else if constexpr (Count == 26) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z);
  } else if constexpr (Count == 27) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa);
  } else if constexpr (Count == 28) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab);
  } else if constexpr (Count == 29) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac);
  } else if constexpr (Count == 30) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad);
  } else if constexpr (Count == 31) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae);
  } else if constexpr (Count == 32) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af] = value;
    return visitor(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac, ad, ae, af);
  } else {
    static_assert(Count <= kMembersMax, "a struct may have at most 32 members: group some of them in a struct");
  }
}
// clang-format on

}  // namespace volt::reflect
