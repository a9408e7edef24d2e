// SPDX-License-Identifier: MIT

// JsonValue: any JSON value, for documents whose form is not known when the program is compiled. Where the form is
// known, a struct is shorter, faster and described in the OpenAPI document.
//
//   struct Event { std::string kind; JsonValue data; };              // a member of any form
//   std::string post(Json<JsonValue> in);                            // a whole body
//
//   const JsonValue* price = value.at("/items/0/price");             // a JSON Pointer (RFC 6901); null: no such value
//   if (price) total += price->get<double>().value_or(0);
//   for (const auto& [key, member] : *value.object()) ...
//
//   JsonValue made = JsonObject{{"id", 7}, {"tags", JsonArray{"a", "b"}}};
//   made.set("name", "pen");
//   from_json<Item>(to_json(made));                                  // to a type, once its kind is known
//
// Numbers are exact: a whole number is kept in 64 bits, any other as a double. Objects keep the order of their members.
// As everywhere in http/json, whole numbers beyond 64 bits, repeated keys, text that is not UTF-8, and documents deeper
// than JsonOptions::depth_max are refused.
//
// Threads: a value. Lifetime: owns its contents; pointers and views into it are valid until it is changed.
// Errors: set() and push() throw std::logic_error for a value of another kind; everything else reports by its result.
// Bounds: 40 bytes for a value and 72 for a member of an object, besides texts, so up to 20 times the size of the text
// that was read. find() compares the keys one by one. Copying, comparing, writing and destroying take stack in
// proportion to the depth of the value.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "http/json/json.h"

namespace volt::http {

class JsonValue;
struct JsonMember;

using JsonArray = std::vector<JsonValue>;
using JsonObject = std::vector<JsonMember>;

class JsonValue {
 public:
  JsonValue() noexcept = default;  // null
  JsonValue(std::nullptr_t) noexcept;
  template <std::same_as<bool> T>
  JsonValue(T value) noexcept;
  template <std::integral T>
    requires(!std::same_as<T, bool> && !json::Character<T>)
  JsonValue(T value) noexcept;
  JsonValue(double value) noexcept;
  JsonValue(std::string text) noexcept;
  JsonValue(std::string_view text);
  JsonValue(const char* text);
  JsonValue(JsonArray elements) noexcept;
  JsonValue(JsonObject members) noexcept;

  [[nodiscard]] json::Kind kind() const noexcept;
  [[nodiscard]] bool is_null() const noexcept { return kind() == json::Kind::null; }

  // Returns the value as a bool, number, std::string or std::string_view; none if it is of another kind, or a number
  // that T cannot hold. A whole number is also a floating-point one, but 1.0 counts as a fraction.
  template <class T>
  [[nodiscard]] std::optional<T> get() const;

  // Null if the value is of another kind.
  [[nodiscard]] const JsonArray* array() const noexcept { return std::get_if<JsonArray>(&value_); }
  [[nodiscard]] JsonArray* array() noexcept { return std::get_if<JsonArray>(&value_); }
  [[nodiscard]] const JsonObject* object() const noexcept { return std::get_if<JsonObject>(&value_); }
  [[nodiscard]] JsonObject* object() noexcept { return std::get_if<JsonObject>(&value_); }

  // Returns the member of that key; null if there is none, or the value is not an object.
  [[nodiscard]] const JsonValue* find(std::string_view key) const noexcept;
  [[nodiscard]] JsonValue* find(std::string_view key) noexcept;

  // Returns what a JSON Pointer (RFC 6901) refers to: "/items/0/price", or "" for the value itself. Null if there is no
  // such value, or the pointer is malformed.
  [[nodiscard]] const JsonValue* at(std::string_view pointer) const;
  [[nodiscard]] JsonValue* at(std::string_view pointer);

  // Sets a member of an object, or appends an element to an array. A null becomes an object or an array.
  JsonValue& set(std::string_view key, JsonValue value);
  JsonValue& push(JsonValue value);

  // Compares kinds and values: the whole number 1 differs from 1.0. The order of members counts.
  friend bool operator==(const JsonValue& a, const JsonValue& b);

 private:
  friend void json::append_value(const JsonValue& value, std::string& out);

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, JsonArray, JsonObject> value_;
};

struct JsonMember {
  std::string key;
  JsonValue value;

  bool operator==(const JsonMember&) const = default;
};

// The variant of a JsonValue is complete only here.
inline JsonValue::JsonValue(std::nullptr_t) noexcept {}
template <std::same_as<bool> T>
JsonValue::JsonValue(T value) noexcept : value_(value) {}
template <std::integral T>
  requires(!std::same_as<T, bool> && !json::Character<T>)
JsonValue::JsonValue(T value) noexcept {
  if (std::in_range<std::int64_t>(value)) {
    value_ = static_cast<std::int64_t>(value);
  } else {
    value_ = static_cast<std::uint64_t>(value);
  }
}
inline JsonValue::JsonValue(double value) noexcept : value_(value) {}
inline JsonValue::JsonValue(std::string text) noexcept : value_(std::move(text)) {}
inline JsonValue::JsonValue(std::string_view text) : value_(std::string(text)) {}
inline JsonValue::JsonValue(const char* text) : value_(std::string(text)) {}
inline JsonValue::JsonValue(JsonArray elements) noexcept : value_(std::move(elements)) {}
inline JsonValue::JsonValue(JsonObject members) noexcept : value_(std::move(members)) {}

template <class T>
std::optional<T> JsonValue::get() const {
  if constexpr (std::same_as<T, bool>) {
    if (const bool* value = std::get_if<bool>(&value_)) return *value;
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>) {
    if (const std::string* text = std::get_if<std::string>(&value_)) return T(*text);
  } else {
    static_assert(std::is_arithmetic_v<T> && !json::Character<T>, "get() returns bool, numbers, or text");
    const auto* whole = std::get_if<std::int64_t>(&value_);
    const auto* large = std::get_if<std::uint64_t>(&value_);
    if constexpr (std::integral<T>) {
      if (whole && std::in_range<T>(*whole)) return static_cast<T>(*whole);
      if (large && std::in_range<T>(*large)) return static_cast<T>(*large);
    } else {
      if (whole) return static_cast<T>(*whole);
      if (large) return static_cast<T>(*large);
      const double* number = std::get_if<double>(&value_);
      if (number && (*number <= std::numeric_limits<T>::max() && *number >= std::numeric_limits<T>::lowest())) {
        return static_cast<T>(*number);
      }
    }
  }
  return std::nullopt;
}

}  // namespace volt::http
