// SPDX-License-Identifier: MIT

// Converts columns to C++ values.
#include <charconv>

#include "sqlite/rows.h"

namespace volt::sqlite {
namespace {

[[noreturn]] void fail(const Cell& cell, std::string_view what) {
  std::string text = "column ";
  text += cell.column;
  text += ' ';
  throw DecodeError(text.append(cell.type == Type::null ? "is NULL: read it as a std::optional" : what));
}

template <class T>
std::string written(T value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

}  // namespace

bool Decoder::boolean(const Cell& cell) {
  if (cell.type != Type::integer || (cell.integer != 0 && cell.integer != 1)) fail(cell, "is not 0 or 1");
  return cell.integer != 0;
}

std::int64_t Decoder::integer(const Cell& cell, std::int64_t min, std::int64_t max) {
  if (cell.type != Type::integer || cell.integer < min || cell.integer > max) {
    fail(cell, "is not an integer that fits the C++ type");
  }
  return cell.integer;
}

double Decoder::number(const Cell& cell) {
  if (cell.type == Type::integer) return static_cast<double>(cell.integer);
  if (cell.type != Type::real) fail(cell, "is not a number");
  return cell.real;
}

std::string Decoder::text(const Cell& cell) {
  switch (cell.type) {
    case Type::text:
      return std::string(cell.bytes);
    case Type::integer:
      return written(cell.integer);
    case Type::real:
      return written(cell.real);
    case Type::null:
    case Type::blob:
      break;
  }
  fail(cell, "is a blob: read it as a std::vector<std::byte>");
}

std::vector<std::byte> Decoder::bytes(const Cell& cell) {
  if (cell.type != Type::blob) fail(cell, "is not a blob");
  const auto all = std::as_bytes(std::span(cell.bytes));
  return {all.begin(), all.end()};
}

void Decoder::fail_value(const Cell& cell, std::string_view what) { fail(cell, what); }

void Decoder::fail_columns(std::size_t columns, std::size_t members) {
  throw DecodeError("a row of " + std::to_string(columns) + " columns cannot become a value of " +
                    std::to_string(members));
}

Cell Rows::at(std::size_t row, std::size_t column) const noexcept {
  const Value& value = values_[row * columns_.size() + column];
  Cell cell{.type = value.type, .column = columns_[column]};
  switch (value.type) {
    case Type::null:
      break;
    case Type::integer:
      cell.integer = value.integer;
      break;
    case Type::real:
      cell.real = value.real;
      break;
    case Type::text:
    case Type::blob:
      cell.bytes = std::string_view(bytes_.data() + value.offset, value.size);
      break;
  }
  return cell;
}

}  // namespace volt::sqlite
