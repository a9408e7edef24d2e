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
//   enum class                   text: the enumerator's name (database/enums.h)
//   std::vector<std::byte>       blob
//   std::optional<T>             the value of T; NULL is empty (for other types NULL is an error)
//   aggregate                    a row with one column for each member
//
// Threads: a value; safe for concurrent reads. Lifetime: owns the result; its views live as long as the Rows.
// Errors: DecodeError, which names the column. Memory: the entire result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "database/rows.h"
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

// Converts cells. Errors: DecodeError.
struct Decoder {
  [[nodiscard]] static bool is_null(const Cell& cell) noexcept { return cell.type == Type::null; }
  [[nodiscard]] static bool boolean(const Cell& cell);
  [[nodiscard]] static std::int64_t integer(const Cell& cell, std::int64_t min, std::int64_t max);
  [[nodiscard]] static double number(const Cell& cell);
  [[nodiscard]] static std::string text(const Cell& cell);
  [[nodiscard]] static std::vector<std::byte> bytes(const Cell& cell);
  // Throws DecodeError: "column NAME " and `what`.
  [[noreturn]] static void fail_value(const Cell& cell, std::string_view what);
  [[noreturn]] static void fail_columns(std::size_t columns, std::size_t members);
};

// to<T>(), all<T>() and first<T>() are those of database/rows.h.
class Rows : public database::RowConversions<Rows, Decoder> {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return columns_.empty() ? 0 : values_.size() / columns_.size(); }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }
  // Returns how many rows the statement inserted, updated or deleted; for other statements, how many it returned.
  [[nodiscard]] std::uint64_t affected() const noexcept { return affected_; }

  // Returns one cell. Requires `row` < size() and `column` < columns().
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const noexcept;

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
