// SPDX-License-Identifier: MIT

// RowConversions: the conversion of rows to C++ values, for the Rows of each database (pg/rows.h, sqlite/rows.h), which
// derive from it. `Self` has size(), columns() and at(); `Decoder` has static functions that convert a cell: is_null(),
// boolean(), integer(), number(), text() and bytes(), and fail_value() and fail_columns(), which throw.
//
// Threads: safe for concurrent reads. Errors: DecodeError of the database, which names the column.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "database/concepts.h"
#include "database/enums.h"
#include "reflect/aggregate.h"

namespace volt::database {

// Converts a cell.
template <class Decoder, class T, class Cell>
[[nodiscard]] T value_of(const Cell& cell) {
  if constexpr (Optional<T>) {
    return Decoder::is_null(cell) ? T{} : T{value_of<Decoder, typename T::value_type>(cell)};
  } else if constexpr (std::same_as<T, bool>) {
    return Decoder::boolean(cell);
  } else if constexpr (std::integral<T>) {
    using Limits = std::numeric_limits<T>;
    constexpr std::uint64_t max = Limits::max();
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr auto clamped = static_cast<std::int64_t>(max < most ? max : most);
    return static_cast<T>(Decoder::integer(cell, Limits::min(), clamped));
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(Decoder::number(cell));
  } else if constexpr (std::same_as<T, std::string>) {
    return Decoder::text(cell);
  } else if constexpr (Enum<T>) {
    const std::string text = Decoder::text(cell);
    const std::optional<T> value = enumerator_of<T>(text);
    if (!value) Decoder::fail_value(cell, no_enumerator<T>(text));
    return *value;
  } else {
    static_assert(std::same_as<T, std::vector<std::byte>>,
                  "a column can be converted to a bool, a number, a std::string, an enum class, a "
                  "std::vector<std::byte>, or a std::optional of these");
    return Decoder::bytes(cell);
  }
}

template <class Self, class Decoder>
class RowConversions {
 public:
  // Converts one row. Requires `row` < size().
  template <class T>
  [[nodiscard]] T to(std::size_t row) const {
    if constexpr (reflect::Aggregate<T>) {
      constexpr std::size_t members = reflect::member_count<T>;
      if (self().columns() != members) Decoder::fail_columns(self().columns(), members);
      T value{};
      reflect::for_each_member(value, [&](auto index, auto& member) {
        member = value_of<Decoder, std::remove_cvref_t<decltype(member)>>(self().at(row, index));
      });
      return value;
    } else {
      if (self().columns() != 1) Decoder::fail_columns(self().columns(), 1);
      return value_of<Decoder, T>(self().at(row, 0));
    }
  }

  // Converts all rows.
  template <class T>
  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> values;
    values.reserve(self().size());
    for (std::size_t row = 0; row != self().size(); ++row) values.push_back(to<T>(row));
    return values;
  }

  // Converts the first row. Returns nothing if there is no row.
  template <class T>
  [[nodiscard]] std::optional<T> first() const {
    if (self().empty()) return std::nullopt;
    return to<T>(0);
  }

 private:
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
};

}  // namespace volt::database
