// SPDX-License-Identifier: MIT

// Described: a sentence about a member of a struct, for --help and --print-config (config/program.h).
//
//   struct Shop {
//     std::string currency = "EUR";
//     std::string database;
//
//     static constexpr volt::Described descriptions[] = {
//         {"currency", "Currency of all prices, by ISO 4217"},
//         {"database", "Where the items are", "DATABASE_URL"},
//     };
//   };
//
// Threads: constants. Lifetime: the texts must be static, such as literals.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "reflect/aggregate.h"

namespace volt {

struct Described {
  std::string_view member;
  std::string_view text;
  // For settings: another environment variable, which sets the member unless its own variable does.
  std::string_view variable = {};
};

namespace reflect {

template <class T>
concept HasDescriptions = requires { T::descriptions[0].text; };

template <HasDescriptions T>
constexpr bool describes_members() noexcept {
  for (const Described& described : T::descriptions) {
    bool found = false;
    for (const std::string_view name : member_names<T>()) found = found || name == described.member;
    if (!found) return false;
  }
  return true;
}

// Returns what T says of its member `name`; an empty text if it says nothing.
template <class T>
constexpr Described description_of(std::string_view name) noexcept {
  if constexpr (HasDescriptions<T>) {
    static_assert(describes_members<T>(), "an entry of `descriptions` names no member of the struct");
    for (const Described& described : T::descriptions) {
      if (described.member == name) return described;
    }
  }
  return {name, {}, {}};
}

}  // namespace reflect
}  // namespace volt
