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
//   enum class                   text, or an enum type: the enumerator's name (database/enums.h)
//   std::vector<std::byte>       bytea
//   std::optional<T>             the column of T; NULL is empty (for other types NULL is an error)
//   aggregate                    a row with one column for each member
//
// Threads: a value; safe for concurrent reads. Lifetime: owns the result; its views live as long as the Rows.
// Errors: DecodeError, which names the column. Memory: the entire result in the form that the server sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "database/rows.h"
#include "pg/error.h"
#include "pg/parameters.h"

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

// Converts cells. Errors: DecodeError.
struct Decoder {
  [[nodiscard]] static bool is_null(const Cell& cell) noexcept { return cell.null; }
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

 private:
  struct Clear {
    void operator()(pg_result* result) const noexcept;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace volt::pg
