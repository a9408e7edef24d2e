// SPDX-License-Identifier: MIT

// Enums in rows and parameters: their text is the name of the enumerator, as in JSON (http/json/json.h), forms and
// queries. The column is of a text type, or in PostgreSQL of an enum type with these names.
//
//   enum class State { draft, sent };
//   struct Letter { std::int64_t id; State state; };
//   db.query<Letter>("select id, state from letter where state = $1", State::draft);
//
// The compiler refuses an enum without a fixed underlying type (write `enum class`), and one of which no enumerator has
// a value from -64 to 191 (reflect/enumerator.h). A JsonConverter changes JSON alone.
//
// Threads: pure functions.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "reflect/enumerator.h"

namespace volt::database {

template <class T>
concept Enum = std::is_enum_v<T> && !std::same_as<T, std::byte>;

template <Enum E>
constexpr bool has_names() {
  if constexpr (reflect::NamedEnum<E>) {
    return !reflect::enumerators<E>.empty();
  } else {
    return false;
  }
}

// Fails an assertion unless the names of the enumerators are found.
template <Enum E>
struct RequireNames {
  static_assert(reflect::NamedEnum<E>,
                "an enum in a row or a parameter must have a fixed underlying type: write `enum class`");
  static_assert(!reflect::NamedEnum<E> || has_names<E>(),
                "no enumerator of this enum has a value from -64 to 191, so none has a name: convert it to a number or "
                "text");
};

// Returns the name of an enumerator. Throws std::invalid_argument for a value that has none.
template <Enum E>
[[nodiscard]] std::string_view name_of(E value) {
  if constexpr (has_names<E>()) {
    const std::string_view name = reflect::enumerator_name(value);
    if (!name.empty()) return name;
    throw std::invalid_argument("a parameter of an enum has the value " +
                                std::to_string(static_cast<std::underlying_type_t<E>>(value)) + ", which has no name");
  } else {
    static_cast<void>(sizeof(RequireNames<E>));
    return {};
  }
}

// Returns the enumerator of this name; nullopt if there is none.
template <Enum E>
[[nodiscard]] std::optional<E> enumerator_of(std::string_view name) {
  if constexpr (has_names<E>()) {
    return reflect::enumerator_value<E>(name);
  } else {
    static_cast<void>(sizeof(RequireNames<E>));
    return std::nullopt;
  }
}

// Returns the reason why E has no enumerator of this name, for an error that names the column.
template <Enum E>
[[nodiscard]] std::string no_enumerator(std::string_view text) {
  constexpr std::size_t kShownMax = 40;  // characters of the text
  std::string sentence("is '");
  sentence.append(text.substr(0, kShownMax)).append(text.size() > kShownMax ? ".." : "").append("', which is none of ");
  std::string_view separator;
  if constexpr (has_names<E>()) {
    for (const auto& enumerator : reflect::enumerators<E>) {
      sentence.append(separator).append(enumerator.name);
      separator = ", ";
    }
  }
  return sentence;
}

}  // namespace volt::database
