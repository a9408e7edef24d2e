// SPDX-License-Identifier: MIT

// Rows: the result of a query, and its conversion to C++ values.
//
//   struct Item { std::int64_t id; std::string name; std::optional<double> price; };
//   for (const Item& item : rows.all<Item>()) { ... }         // columns are assigned to members in order
//   const std::int64_t count = rows.to<std::int64_t>(0);      // the first column
//
//   C++                          value (SQLite has types of values, not of columns)
//   bool                         the integers 0 and 1
//   integers                     integer; a value out of range is an error
//   float, double                integer, real
//   std::string                  text; an integer or a real as digits
//   std::vector<std::byte>       blob
//   std::optional<T>             the value of T; NULL is empty (for other types NULL is an error)
//   aggregate                    a row with one column for each member
//
// Threads: a value; safe for concurrent reads. Lifetime: owns the result; its views live as long as the Rows.
// Errors: DecodeError, which names the column. Memory: the entire result.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "reflect/aggregate.h"
#include "sqlite/error.h"
#include "sqlite/parameters.h"

namespace volt::sqlite {

namespace internal {
class RowReader;
}

enum class Type : std::uint8_t { null, integer, real, text, blob };

// One column of one row.
struct Cell {
  Type type = Type::null;
  std::string_view column;   // name of the column
  std::int64_t integer = 0;  // of type integer
  double real = 0;           // of type real
  std::string_view bytes;    // of type text or blob
};

namespace decode {

[[nodiscard]] bool boolean(const Cell& cell);
[[nodiscard]] std::int64_t integer(const Cell& cell, std::int64_t min, std::int64_t max);
[[nodiscard]] double number(const Cell& cell);
[[nodiscard]] std::string text(const Cell& cell);
[[nodiscard]] std::vector<std::byte> bytes(const Cell& cell);
[[noreturn]] void fail_columns(std::size_t columns, std::size_t members);

template <class T>
T value(const Cell& cell) {
  if constexpr (parameter::Optional<T>) {
    return cell.type == Type::null ? T{} : T{value<typename T::value_type>(cell)};
  } else if constexpr (std::same_as<T, bool>) {
    return boolean(cell);
  } else if constexpr (std::integral<T>) {
    using Limits = std::numeric_limits<T>;
    constexpr std::uint64_t max = Limits::max();
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    return static_cast<T>(integer(cell, Limits::min(), static_cast<std::int64_t>(max < most ? max : most)));
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(number(cell));
  } else if constexpr (std::same_as<T, std::string>) {
    return text(cell);
  } else {
    static_assert(std::same_as<T, std::vector<std::byte>>,
                  "a column can be converted to a bool, a number, a std::string, a std::vector<std::byte>, or a "
                  "std::optional of these");
    return bytes(cell);
  }
}

}  // namespace decode

class Rows {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return columns_.empty() ? 0 : values_.size() / columns_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }
  // Returns how many rows the statement inserted, updated or deleted; for other statements, how many it returned.
  [[nodiscard]] std::uint64_t affected() const noexcept { return affected_; }

  // Returns one cell. Requires `row` < size() and `column` < columns().
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const noexcept;

  // Converts one row. Requires `row` < size().
  template <class T>
  [[nodiscard]] T to(std::size_t row) const {
    if constexpr (reflect::Aggregate<T>) {
      constexpr std::size_t members = reflect::member_count<T>;
      if (columns() != members) decode::fail_columns(columns(), members);
      T value{};
      reflect::for_each_member(value, [&](auto index, auto& member) {
        member = decode::value<std::remove_cvref_t<decltype(member)>>(at(row, index));
      });
      return value;
    } else {
      if (columns() != 1) decode::fail_columns(columns(), 1);
      return decode::value<T>(at(row, 0));
    }
  }

  // Converts all rows.
  template <class T>
  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> values;
    values.reserve(size());
    for (std::size_t row = 0; row != size(); ++row) values.push_back(to<T>(row));
    return values;
  }

  // Converts the first row. Returns nothing if there is no row.
  template <class T>
  [[nodiscard]] std::optional<T> first() const {
    if (empty()) return std::nullopt;
    return to<T>(0);
  }

 private:
  friend class internal::RowReader;

  struct Value {
    Type type = Type::null;
    union {
      std::int64_t integer = 0;
      double real;
      std::size_t offset;  // of the text or blob in bytes_
    };
    std::size_t size = 0;  // of the text or blob
  };

  std::vector<std::string> columns_;
  std::vector<Value> values_;  // row by row
  std::vector<char> bytes_;
  std::uint64_t affected_ = 0;
};

}  // namespace volt::sqlite
