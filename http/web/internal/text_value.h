// SPDX-License-Identifier: MIT

// Reads a value of a C++ type from the text of a path, a query or a form. The whole text must match; white space is not
// skipped.
//
//   integers              decimal, in range, no leading '+'
//   float, double         decimal, optionally with an exponent; finite
//   bool                  true, 1, on; false, 0, off (a ticked checkbox sends "on")
//   char                  one byte
//   enum                  the exact name of an enumerator; the enum has a fixed underlying type
//   std::string           any text
//   std::optional<T>      a T; empty text gives no value, as for an empty input field, unless T is std::string
//   std::vector<T>        one T for each text, if the name is repeated
//   volt::Checked types   as their value, which must satisfy the rules of the type (http/validation/checked.h)
//
// A type of your own is read by a function in its namespace, which is found by argument-dependent lookup and preferred
// to all of the above:
//
//   std::expected<Colour, std::string> from_text(std::string_view text, std::type_identity<Colour>);
//
// Threads: pure functions. Lifetime: values own their data; views are rejected at compile time.
// Errors: a sentence without its subject, such as "must be a whole number from 0 to 255". The sentence never quotes the
// text.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "reflect/enumerator.h"

namespace volt::http::web {

template <class T>
using TextResult = std::expected<T, std::string>;

template <class T>
concept HasFromText = requires(std::string_view text) {
  { from_text(text, std::type_identity<T>{}) } -> std::same_as<TextResult<T>>;
};

template <class T>
concept TextInteger =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// A volt::Checked (http/validation/checked.h): text is read as its value, which must satisfy its rules.
template <class T>
concept IsChecked = requires { typename T::CheckedValue; };

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;

template <class T>
concept TextScalar = HasFromText<T> || TextInteger<T> || std::floating_point<T> || std::same_as<T, bool> ||
                     std::same_as<T, char> || std::same_as<T, std::string> || reflect::NamedEnum<T>;

// Reads all of `text` like std::from_chars: without a locale, a leading '+' or white space.
template <class Number>
std::optional<Number> parse_number(std::string_view text) noexcept {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

template <TextInteger T>
TextResult<T> parse_integer(std::string_view text) {
  if (const auto number = parse_number<T>(text)) return *number;
  using Limits = std::numeric_limits<T>;
  return std::unexpected("must be a whole number from " + std::to_string(Limits::min()) + " to " +
                         std::to_string(Limits::max()));
}

template <std::floating_point T>
TextResult<T> parse_floating(std::string_view text) {
  const auto number = parse_number<T>(text);
  if (!number || !std::isfinite(*number)) return std::unexpected("must be a finite number");
  return *number;
}

inline TextResult<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "1" || text == "on") return true;
  if (text == "false" || text == "0" || text == "off") return false;
  return std::unexpected("must be true or false");
}

inline TextResult<char> parse_char(std::string_view text) {
  if (text.size() != 1) return std::unexpected("must be one character");
  return text.front();
}

template <reflect::NamedEnum T>
TextResult<T> parse_enum(std::string_view text) {
  if (const auto value = reflect::enumerator_value<T>(text)) return *value;
  std::string sentence = "must be one of";
  std::string_view separator = " ";
  for (const auto& enumerator : reflect::enumerators<T>) {
    sentence.append(separator).append(enumerator.name);
    separator = ", ";
  }
  return std::unexpected(std::move(sentence));
}

template <IsChecked T>
TextResult<T> checked(TextResult<typename T::CheckedValue> value) {
  if (!value) return std::unexpected(std::move(value).error());
  return T::from(*std::move(value));
}

// Whether parse_text<T> can be called.
template <class T>
inline constexpr bool kIsTextValue = TextScalar<T>;
template <class T>
  requires(!HasFromText<std::optional<T>>)
inline constexpr bool kIsTextValue<std::optional<T>> = kIsTextValue<T>;
template <IsChecked T>
inline constexpr bool kIsTextValue<T> = kIsTextValue<typename T::CheckedValue>;

template <class T>
struct TextMistake {
  static_assert(kIsTextValue<T>,
                "this type cannot be read from text: use a number, bool, char, enum with a fixed underlying type, "
                "std::string or std::optional of these, or write from_text(std::string_view, std::type_identity<T>)");
};

// Reads a value from one text.
template <class T>
TextResult<T> parse_text(std::string_view text) {
  static_assert(kIsTextValue<T>);
  if constexpr (HasFromText<T>) {
    return from_text(text, std::type_identity<T>{});
  } else if constexpr (IsChecked<T>) {
    return checked<T>(parse_text<typename T::CheckedValue>(text));
  } else if constexpr (TextInteger<T>) {
    return parse_integer<T>(text);
  } else if constexpr (std::floating_point<T>) {
    return parse_floating<T>(text);
  } else if constexpr (std::same_as<T, bool>) {
    return parse_bool(text);
  } else if constexpr (std::same_as<T, char>) {
    return parse_char(text);
  } else if constexpr (std::same_as<T, std::string>) {
    return std::string(text);
  } else if constexpr (reflect::NamedEnum<T>) {
    return parse_enum<T>(text);
  } else if constexpr (kIsOptional<T>) {
    using Value = typename T::value_type;
    if (text.empty() && !std::same_as<Value, std::string>) return T();
    auto value = parse_text<Value>(text);
    if (!value) return std::unexpected(std::move(value).error());
    return T(*std::move(value));
  } else {
    std::unreachable();  // Excluded by the static_assert.
  }
}

// Reads a value from all texts of one name, in their order. There may be no text at all.
template <class T>
TextResult<T> parse_texts(std::span<const std::string_view> texts) {
  if constexpr (IsChecked<T>) {
    return checked<T>(parse_texts<typename T::CheckedValue>(texts));
  } else if constexpr (kIsVector<T> && !HasFromText<T>) {
    T values;
    for (const std::string_view text : texts) {
      auto value = parse_text<typename T::value_type>(text);
      if (!value) return std::unexpected(std::move(value).error());
      values.push_back(*std::move(value));
    }
    return values;
  } else {
    if (texts.size() > 1) return std::unexpected("must be given only once");
    if (texts.size() == 1) return parse_text<T>(texts.front());
    if constexpr (kIsOptional<T>) return T();
    return std::unexpected("is missing");
  }
}

}  // namespace volt::http::web
