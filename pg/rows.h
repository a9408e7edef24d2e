// SPDX-License-Identifier: MIT

// Rows: the result of a query, and its conversion to C++ values.
//
//   struct Item { std::int64_t id; std::string name; std::optional<double> price; };
//   for (const Item& item : rows.all<Item>()) { ... }         // columns are assigned to members in order
//   const std::int64_t count = rows.to<std::int64_t>(0);      // the first column
//
//   C++                          column
//   bool                         boolean
//   integers                     smallint, integer, bigint, oid; a value out of range is an error
//   float, double                integer types, real, double precision, numeric
//   std::string                  any, in PostgreSQL's text form: text, timestamp, uuid, numeric, jsonb, ...
//   std::vector<std::byte>       bytea
//   std::optional<T>             the column of T; NULL is empty (for other types NULL is an error)
//   aggregate                    a row with one column for each member
//
// Threads: a value; safe for concurrent reads. Lifetime: owns the result; its views live as long as the Rows.
// Errors: DecodeError, which names the column. Memory: the entire result in the form that the server sent.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pg/error.h"
#include "pg/parameters.h"
#include "reflect/aggregate.h"

struct pg_result;  // defined by libpq

namespace volt::pg {

// One column of one row.
struct Cell {
  std::string_view bytes;
  std::string_view column;  // name of the column
  Type type = Type::inferred;
  bool null = false;
  bool binary = false;
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
    return cell.null ? T{} : T{value<typename T::value_type>(cell)};
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
  Rows() = default;
  explicit Rows(pg_result* result) noexcept : result_(result) {}  // takes ownership

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t columns() const noexcept;
  // Returns the number of rows that the statement returned, inserted, updated or deleted.
  [[nodiscard]] std::uint64_t affected() const noexcept;
  [[nodiscard]] std::string_view command() const noexcept;  // command tag, such as "SELECT 1" or "COMMIT"

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
  struct Clear {
    void operator()(pg_result* result) const noexcept;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace volt::pg
