// SPDX-License-Identifier: MIT

// Converts columns to C++ values. The first result of a statement is text. Later results are binary, if this file
// decodes the types of all columns.
#include <bit>
#include <charconv>
#include <cmath>

#include "pg/rows.h"

namespace volt::pg {
namespace {

[[noreturn]] void fail(const Cell& cell, std::string_view what) {
  std::string text = "column ";
  text += cell.column;
  text += ' ';
  throw DecodeError(text.append(what));
}

void need_value(const Cell& cell) {
  if (cell.null) fail(cell, "is NULL: read it as a std::optional");
}

// Returns the bytes of a cell as an integer in big-endian order.
template <class T>
T big_endian(const Cell& cell) {
  if (cell.bytes.size() != sizeof(T)) fail(cell, "has the wrong size for its type");
  std::make_unsigned_t<T> bits = 0;
  for (const char byte : cell.bytes) {
    bits =
        static_cast<std::make_unsigned_t<T>>(static_cast<std::uint64_t>(bits) << 8 | static_cast<unsigned char>(byte));
  }
  return static_cast<T>(bits);
}

std::int64_t binary_integer(const Cell& cell) {
  switch (cell.type) {
    case Type::int2:
      return big_endian<std::int16_t>(cell);
    case Type::int4:
      return big_endian<std::int32_t>(cell);
    case Type::int8:
      return big_endian<std::int64_t>(cell);
    case Type::oid:
      return big_endian<std::uint32_t>(cell);
    default:
      fail(cell, "is not an integer");
  }
}

double binary_number(const Cell& cell) {
  switch (cell.type) {
    case Type::float4:
      return std::bit_cast<float>(big_endian<std::int32_t>(cell));
    case Type::float8:
      return std::bit_cast<double>(big_endian<std::int64_t>(cell));
    default:
      return static_cast<double>(binary_integer(cell));
  }
}

template <class T>
std::string written(T value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

// Returns a number in PostgreSQL's text form, which writes NaN and Infinity.
std::string written_number(double value, std::string digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return digits;
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\\x";
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

int digit(const Cell& cell, char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  fail(cell, "is not a bytea");
}

}  // namespace

bool Decoder::boolean(const Cell& cell) {
  need_value(cell);
  if (cell.type != Type::boolean || cell.bytes.size() != 1) fail(cell, "is not a boolean");
  return cell.binary ? cell.bytes[0] != 0 : cell.bytes[0] == 't';
}

std::int64_t Decoder::integer(const Cell& cell, std::int64_t min, std::int64_t max) {
  need_value(cell);
  std::int64_t value = 0;
  if (cell.binary) {
    value = binary_integer(cell);
  } else {
    const char* end = cell.bytes.data() + cell.bytes.size();
    const auto [stopped, error] = std::from_chars(cell.bytes.data(), end, value);
    if (error != std::errc{} || stopped != end) fail(cell, "is not an integer that fits the C++ type");
  }
  if (value < min || value > max) fail(cell, "is not an integer that fits the C++ type");
  return value;
}

double Decoder::number(const Cell& cell) {
  need_value(cell);
  if (cell.binary) return binary_number(cell);
  double value = 0;
  const char* end = cell.bytes.data() + cell.bytes.size();
  const auto [stopped, error] = std::from_chars(cell.bytes.data(), end, value);  // accepts NaN and Infinity, too
  if (error != std::errc{} || stopped != end) fail(cell, "is not a number");
  return value;
}

std::string Decoder::text(const Cell& cell) {
  need_value(cell);
  if (!cell.binary) return std::string(cell.bytes);
  switch (cell.type) {
    case Type::boolean:
      return boolean(cell) ? "t" : "f";
    case Type::int2:
    case Type::int4:
    case Type::int8:
    case Type::oid:
      return written(binary_integer(cell));
    case Type::float4:
      return written_number(number(cell), written(static_cast<float>(number(cell))));
    case Type::float8:
      return written_number(number(cell), written(number(cell)));
    case Type::bytea:
      return hexadecimal(cell.bytes);
    default:
      return std::string(cell.bytes);
  }
}

std::vector<std::byte> Decoder::bytes(const Cell& cell) {
  need_value(cell);
  if (cell.type != Type::bytea) fail(cell, "is not a bytea");
  std::vector<std::byte> bytes;
  if (cell.binary) {
    const auto all = std::as_bytes(std::span(cell.bytes));
    bytes.assign(all.begin(), all.end());
    return bytes;
  }
  if (!cell.bytes.starts_with("\\x") || cell.bytes.size() % 2 != 0)
    fail(cell, "is not in hexadecimal: set bytea_output to hex");
  bytes.reserve(cell.bytes.size() / 2 - 1);
  for (std::size_t i = 2; i != cell.bytes.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(digit(cell, cell.bytes[i]) << 4 | digit(cell, cell.bytes[i + 1])));
  }
  return bytes;
}

void Decoder::fail_value(const Cell& cell, std::string_view what) { fail(cell, what); }

void Decoder::fail_columns(std::size_t columns, std::size_t members) {
  throw DecodeError("a row of " + std::to_string(columns) + " columns cannot become a value of " +
                    std::to_string(members));
}

}  // namespace volt::pg
