// SPDX-License-Identifier: MIT

// A row in COPY's text format, written and read: columns are separated by tabs, a row ends with a newline, NULL is \N,
// and a backslash stands before what would be mistaken for one of these (PostgreSQL's page of COPY, "Text Format").
//
// Threads: values.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "database/concepts.h"
#include "database/enums.h"
#include "database/rows.h"
#include "pg/parameters.h"
#include "pg/rows.h"

namespace volt::pg {

// Appends the columns of one row to a text.
class CopyRowWriter {
 public:
  explicit CopyRowWriter(std::string& into) noexcept : into_(into), begin_(into.size()) {}
  // Removes a row that was not ended, because a value threw.
  ~CopyRowWriter() {
    if (!ended_) into_.resize(begin_);
  }
  CopyRowWriter(const CopyRowWriter&) = delete;
  CopyRowWriter& operator=(const CopyRowWriter&) = delete;

  template <class T>
  void add(const T& value) {
    if (columns_++ != 0) into_ += '\t';
    if constexpr (std::same_as<T, std::nullptr_t>) {
      add_null();
    } else if constexpr (database::Optional<T>) {
      value.has_value() ? add_value(*value) : add_null();
    } else {
      add_value(value);
    }
  }
  void end() {
    into_ += '\n';
    ended_ = true;
  }

 private:
  template <class T>
  void add_value(const T& value) {
    if constexpr (parameter::Number<T>) {
      into_ += number(value);
    } else if constexpr (database::Text<T>) {
      add_text(value);
    } else if constexpr (database::Enum<T>) {
      add_text(database::name_of(value));
    } else if constexpr (std::ranges::contiguous_range<T> && std::ranges::sized_range<T>) {
      using Element = std::ranges::range_value_t<T>;
      if constexpr (std::same_as<Element, std::byte>) {
        add_bytes(std::span<const std::byte>(value));
      } else {
        add_array(std::span<const Element>(value));
      }
    } else {
      static_assert(
          std::same_as<T, void>,
          "this type cannot be a column: use text, bytes, an enum class, a number that fits into a bigint, or an "
          "optional or a vector of these; or convert the value to text");
    }
  }

  template <class T>
  [[nodiscard]] static std::string number(T value) {
    if constexpr (std::same_as<T, bool>) {
      return value ? "t" : "f";
    } else {
      if constexpr (std::floating_point<T>) {
        if (std::isnan(value)) return "NaN";
        if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
      }
      char digits[64];
      const auto written = std::to_chars(digits, digits + sizeof digits, value);
      return {digits, written.ptr};
    }
  }

  // An array: {1,2} or {"a","b"}.
  template <class T>
  void add_array(std::span<const T> elements) {
    std::string array = "{";
    for (const T& element : elements) {
      if (array.size() != 1) array += ',';
      if constexpr (database::Text<T>) {
        array += quoted(element);
      } else if constexpr (database::Enum<T>) {
        array += quoted(database::name_of(element));
      } else {
        static_assert(parameter::Number<T>, "the elements of an array must be numbers, text or enums");
        array += number(element);
      }
    }
    add_text(array + "}");
  }

  [[nodiscard]] static std::string quoted(std::string_view element);
  void add_null();
  void add_text(std::string_view text);
  void add_bytes(std::span<const std::byte> bytes);

  std::string& into_;
  const std::size_t begin_;
  std::size_t columns_ = 0;
  bool ended_ = false;
};

// Converts columns whose types are not known: text may be each of them.
struct CopyDecoder : Decoder {
  [[nodiscard]] static bool boolean(Cell cell) {
    cell.type = Type::boolean;
    return Decoder::boolean(cell);
  }
  [[nodiscard]] static std::vector<std::byte> bytes(Cell cell) {
    cell.type = Type::bytea;
    return Decoder::bytes(cell);
  }
};

// A row that was received. Its views point into the line.
class CopyRow : public database::RowConversions<CopyRow, CopyDecoder> {
 public:
  // Reads a row from a line without its newline, in which escapes are replaced. The line must outlive the row.
  void parse(std::span<char> line);

  [[nodiscard]] std::size_t size() const noexcept { return 1; }
  [[nodiscard]] bool empty() const noexcept { return false; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }
  // Requires `column` < columns().
  [[nodiscard]] Cell at(std::size_t row, std::size_t column) const noexcept;

 private:
  struct Column {
    std::string_view text;
    bool null = false;
  };
  std::vector<Column> columns_;
  std::vector<std::string> names_;  // the numbers of the columns
};

}  // namespace volt::pg
