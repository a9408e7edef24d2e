// SPDX-License-Identifier: MIT

// Parameters: the values of a query's placeholders ($1, $2, ...), encoded for the server.
//
//   bool; short, int, long; float, double           bool; smallint, integer, bigint; real, double precision
//   unsigned char to unsigned int                   the next wider signed type
//   std::string, std::string_view, const char*      the type of the placeholder: text, timestamp, uuid, jsonb, ...
//   enum class                                      the same, with the enumerator's name (database/enums.h)
//   std::vector<std::byte>, std::span<const std::byte>   bytea
//   std::optional<T>, nullptr                       NULL for an empty optional or nullptr
//   std::vector<T>, std::span<T>                    an array of numbers, text or enums: where id = any($1)
//
// Numbers are sent in binary. A number is sent with its own type and not with the type of the placeholder; the server
// casts it, for example for a numeric column.
//
// Threads: a value. Lifetime: owns copies of the values. Memory: proportional to the values, at most 1 GiB.
// Errors: std::invalid_argument for text with a zero byte, which PostgreSQL does not support, and for an enum whose
// value has no name; std::length_error beyond 1 GiB.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "database/concepts.h"
#include "database/enums.h"

namespace volt::pg {

// Object ids of PostgreSQL's types (catalog pg_type). 0: the server infers the type.
enum class Type : std::uint32_t {
  inferred = 0,
  boolean = 16,
  bytea = 17,
  name = 19,
  int8 = 20,
  int2 = 21,
  int4 = 23,
  text = 25,
  oid = 26,
  float4 = 700,
  float8 = 701,
  boolean_array = 1000,
  int2_array = 1005,
  int4_array = 1007,
  text_array = 1009,
  int8_array = 1016,
  float4_array = 1021,
  float8_array = 1022,
  bpchar = 1042,
  varchar = 1043,
};

struct Parameter {
  Type type = Type::inferred;
  bool null = false;
  bool binary = false;
  std::uint32_t offset = 0;  // position of its first byte in the buffer; a zero byte follows its last byte
  std::uint32_t size = 0;    // number of bytes without that zero byte
};

namespace parameter {

template <class T>
concept Number = std::floating_point<T> || (std::integral<T> && (sizeof(T) < 8 || std::is_signed_v<T>));

// Returns the type with which a T is sent.
template <class T>
constexpr Type type_of() {
  if constexpr (std::same_as<T, bool>) {
    return Type::boolean;
  } else if constexpr (std::integral<T>) {
    constexpr std::size_t bytes = sizeof(T) + (std::is_unsigned_v<T> ? 1 : 0);
    return bytes <= 2 ? Type::int2 : bytes <= 4 ? Type::int4 : Type::int8;
  } else if constexpr (std::same_as<T, float>) {
    return Type::float4;
  } else if constexpr (std::floating_point<T>) {
    return Type::float8;
  } else if constexpr (std::same_as<T, std::byte>) {
    return Type::bytea;
  } else {
    return Type::inferred;
  }
}

constexpr Type array_of(Type element) {
  switch (element) {
    case Type::boolean:
      return Type::boolean_array;
    case Type::int2:
      return Type::int2_array;
    case Type::int4:
      return Type::int4_array;
    case Type::int8:
      return Type::int8_array;
    case Type::float4:
      return Type::float4_array;
    case Type::float8:
      return Type::float8_array;
    default:
      return Type::text_array;
  }
}

}  // namespace parameter

class Parameters {
 public:
  template <class T>
  void add(const T& value) {
    if constexpr (std::same_as<T, std::nullptr_t>) {
      add_null(Type::inferred);
    } else if constexpr (database::Optional<T>) {
      value.has_value() ? add(*value) : add_null(parameter::type_of<typename T::value_type>());
    } else if constexpr (parameter::Number<T>) {
      begin(parameter::type_of<T>(), true);
      append_number(value);
      end();
    } else if constexpr (database::Text<T>) {
      begin(Type::inferred, false);
      append_text(value);
      end();
    } else if constexpr (database::Enum<T>) {
      add(database::name_of(value));
    } else if constexpr (std::ranges::contiguous_range<T> && std::ranges::sized_range<T>) {
      add_range(std::span<const std::ranges::range_value_t<T>>(value));
    } else {
      static_assert(std::same_as<T, void>,
                    "this type cannot be a parameter: use text, bytes, an enum class, a number that fits into a "
                    "bigint, or an optional or a vector of these; or convert the value to text");
    }
  }

  [[nodiscard]] std::span<const Parameter> all() const noexcept { return all_; }
  [[nodiscard]] const char* bytes_of(const Parameter& parameter) const noexcept {
    return parameter.null ? nullptr : bytes_.data() + parameter.offset;
  }
  void reserve(std::size_t count) { all_.reserve(count); }

 private:
  void add_null(Type type) { all_.push_back({.type = type, .null = true}); }
  void begin(Type type, bool binary);
  void end();
  void append_bytes(std::span<const std::byte> bytes);
  void append_text(std::string_view text);
  void append_big_endian(std::uint64_t bits, std::size_t bytes);

  template <class T>
  void append_number(T value) {
    if constexpr (std::same_as<T, float>) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      append_big_endian(bits, sizeof bits);
    } else if constexpr (std::floating_point<T>) {
      const double wide = value;
      std::uint64_t bits = 0;
      std::memcpy(&bits, &wide, sizeof bits);
      append_big_endian(bits, sizeof bits);
    } else {
      constexpr Type type = parameter::type_of<T>();
      append_big_endian(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), type == Type::boolean ? 1
                                                                                      : type == Type::int2  ? 2
                                                                                      : type == Type::int4  ? 4
                                                                                                            : 8);
    }
  }

  template <class T>
  void append_element(const T& element) {
    const std::size_t length_at = bytes_.size();
    append_big_endian(0, 4);
    if constexpr (database::Text<T>) {
      append_bytes(std::as_bytes(std::span(std::string_view(element))));
    } else if constexpr (database::Enum<T>) {
      append_bytes(std::as_bytes(std::span(database::name_of(element))));
    } else {
      static_assert(parameter::Number<T>, "the elements of an array must be numbers, text or enums");
      append_number(element);
    }
    put_length(length_at);
  }
  void put_length(std::size_t at);
  void append_array_head(Type element, std::size_t count);

  template <class T>
  void add_range(std::span<const T> values) {
    if constexpr (std::same_as<T, std::byte>) {
      begin(Type::bytea, true);
      append_bytes(values);
    } else {
      constexpr Type element = database::Text<T> || database::Enum<T> ? Type::text : parameter::type_of<T>();
      begin(parameter::array_of(element), true);
      append_array_head(element, values.size());
      for (const T& value : values) append_element(value);
    }
    end();
  }

  std::vector<Parameter> all_;
  std::string bytes_;
};

}  // namespace volt::pg
