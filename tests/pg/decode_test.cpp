// SPDX-License-Identifier: MIT

// Tests of pg/decode.cpp with constructed cells. types_test.cpp tests it with cells from a server.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "pg/rows.h"

namespace volt::pg {
namespace {

using namespace std::string_view_literals;

Cell text(Type type, std::string_view bytes) { return {.bytes = bytes, .column = "c", .type = type}; }
Cell binary(Type type, std::string_view bytes) { return {.bytes = bytes, .column = "c", .type = type, .binary = true}; }

template <class T>
T value(const Cell& cell) {
  return database::value_of<Decoder, T>(cell);
}

template <class T>
std::string refusal(const Cell& cell) {
  try {
    static_cast<void>(value<T>(cell));
  } catch (const DecodeError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("pg/decode");

TEST_CASE("numbers are checked against the range of their C++ type") {
  CHECK(value<std::int8_t>(text(Type::int4, "-128")) == -128);
  CHECK(refusal<std::int8_t>(text(Type::int4, "128")) == "column c is not an integer that fits the C++ type");
  CHECK(refusal<std::uint8_t>(binary(Type::int2, "\xff\xff")) == "column c is not an integer that fits the C++ type");
  CHECK(value<std::uint64_t>(text(Type::int8, "9223372036854775807")) == 9223372036854775807U);
  CHECK(refusal<std::uint64_t>(text(Type::int8, "-1")) == "column c is not an integer that fits the C++ type");
  CHECK(refusal<int>(text(Type::float8, "1.5")) == "column c is not an integer that fits the C++ type");
  CHECK(refusal<int>(text(Type::text, "")) == "column c is not an integer that fits the C++ type");
  CHECK(refusal<std::int64_t>(text(Type::inferred, "92233720368547758080")) ==
        "column c is not an integer that fits the C++ type");
  CHECK(value<std::uint32_t>(binary(Type::oid, "\xff\xff\xff\xff")) == 0xffffffff);
}

TEST_CASE("a NULL can be read only as an optional") {
  Cell null = text(Type::int4, "");
  null.null = true;
  CHECK(value<std::optional<int>>(null) == std::nullopt);
  CHECK(refusal<int>(null) == "column c is NULL: read it as a std::optional");
  CHECK(refusal<bool>(null) == refusal<int>(null));
  CHECK(refusal<double>(null) == refusal<int>(null));
  CHECK(refusal<std::string>(null) == refusal<int>(null));
  CHECK(refusal<std::vector<std::byte>>(null) == refusal<int>(null));
}

TEST_CASE("a cell of another type is an error") {
  CHECK(refusal<int>(binary(Type::float8, "\0\0\0\0\0\0\0\0"sv)) == "column c is not an integer");
  CHECK(refusal<int>(binary(Type::int4, "\0\0"sv)) == "column c has the wrong size for its type");
  CHECK(refusal<bool>(text(Type::text, "t")) == "column c is not a boolean");
  CHECK(refusal<double>(text(Type::text, "1.5 EUR")) == "column c is not a number");
  CHECK(refusal<std::vector<std::byte>>(text(Type::text, "\\x00")) == "column c is not a bytea");
  CHECK(refusal<std::vector<std::byte>>(text(Type::bytea, "\\000")) ==
        "column c is not in hexadecimal: set bytea_output to hex");
  CHECK(refusal<std::vector<std::byte>>(text(Type::bytea, "\\x0g")) == "column c is not a bytea");
}

TEST_CASE("text and binary cells give equal texts") {
  CHECK(value<std::string>(binary(Type::int4, "\xff\xff\xff\xff")) == "-1");
  CHECK(value<std::string>(binary(Type::boolean, "\x01")) == "t");
  CHECK(value<std::string>(binary(Type::float4, "\x3d\xcc\xcc\xcd")) == "0.1");
  CHECK(value<std::string>(binary(Type::float8, "\x7f\xf0\0\0\0\0\0\0"sv)) == "Infinity");
  CHECK(value<std::string>(binary(Type::bytea, "\0\xff"sv)) == "\\x00ff");
}

TEST_SUITE_END();

}  // namespace volt::pg
