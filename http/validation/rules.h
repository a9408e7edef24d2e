// SPDX-License-Identifier: MIT

// The rules of http/validation/checked.h. Each has holds(), a sentence for people, and its keywords of JSON Schema.
//
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/message/fixed_string.h"
#include "http/validation/formats.h"
#include "http/validation/pattern.h"

namespace volt {

namespace http::validation {

template <class T>
concept CountsUnits = requires(const T& value) { value.count(); };

// Returns the number that a rule compares: that of a duration or a ByteSize is its count of units.
template <class T>
constexpr auto number_of(const T& value) noexcept {
  if constexpr (CountsUnits<T>) {
    return value.count();
  } else {
    return value;
  }
}

template <class T>
concept HasNumber = requires(const T& value) { requires std::is_arithmetic_v<decltype(number_of(value))>; };

template <class A, class B>
constexpr bool at_most(A a, B b) noexcept {
  if constexpr (std::integral<A> && std::integral<B>) {
    return std::cmp_less_equal(a, b);
  } else {
    return a <= b;
  }
}

std::string number_text(long long number);
std::string number_text(unsigned long long number);
std::string number_text(double number);

template <class N>
std::string text_of_number(N number) {
  if constexpr (std::floating_point<N>) {
    return number_text(static_cast<double>(number));
  } else if constexpr (std::signed_integral<N>) {
    return number_text(static_cast<long long>(number));
  } else {
    return number_text(static_cast<unsigned long long>(number));
  }
}

// Returns the unit of such a count for a message; empty for a plain number.
template <class T>
constexpr std::string_view unit_of() noexcept {
  if constexpr (requires { typename T::period; }) {
    if (std::ratio_equal_v<typename T::period, std::milli>) return " ms";
    if (std::ratio_equal_v<typename T::period, std::ratio<1>>) return " s";
    if (std::ratio_equal_v<typename T::period, std::ratio<60>>) return " m";
    if (std::ratio_equal_v<typename T::period, std::ratio<3600>>) return " h";
    return "";
  } else if constexpr (CountsUnits<T>) {
    return " B";
  } else {
    return "";
  }
}

template <class T>
std::string range_sentence(const std::string& min, const std::string& max) {
  return "must be from " + min + std::string(unit_of<T>()) + " to " + max + std::string(unit_of<T>());
}

// Returns the number of characters (code points) of UTF-8.
constexpr std::size_t character_count(std::string_view text) noexcept {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

template <class T>
  requires(std::is_convertible_v<const T&, std::string_view> || requires(const T& value) { value.size(); })
constexpr std::size_t size_of(const T& value) noexcept {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return character_count(value);
  } else {
    return value.size();
  }
}

// As the largest size: no limit.
inline constexpr std::size_t kSizeMax = std::numeric_limits<std::size_t>::max();

std::string size_sentence(std::size_t min, std::size_t max, bool is_text);
std::string size_schema(std::size_t min, std::size_t max, bool is_text);

}  // namespace http::validation

namespace rules {

namespace validation = http::validation;

template <auto Min, auto Max>
struct Range {
  static_assert(validation::at_most(Min, Max), "Min of a range must not exceed Max");

  template <validation::HasNumber T>
  static constexpr bool holds(const T& value) noexcept {
    const auto number = validation::number_of(value);
    return validation::at_most(Min, number) && validation::at_most(number, Max);
  }
  template <class T>
  static std::string sentence() {
    return validation::range_sentence<T>(validation::text_of_number(Min), validation::text_of_number(Max));
  }
  static std::string schema() {
    return "\"minimum\":" + validation::text_of_number(Min) + ",\"maximum\":" + validation::text_of_number(Max);
  }
};

template <auto Min>
struct Minimum {
  template <validation::HasNumber T>
  static constexpr bool holds(const T& value) noexcept {
    return validation::at_most(Min, validation::number_of(value));
  }
  template <class T>
  static std::string sentence() {
    return "must be at least " + validation::text_of_number(Min) + std::string(validation::unit_of<T>());
  }
  static std::string schema() { return "\"minimum\":" + validation::text_of_number(Min); }
};

template <std::size_t Min, std::size_t Max>
struct Size {
  static_assert(Min <= Max, "Min of a size must not exceed Max");

  template <class T>
    requires requires(const T& value) { validation::size_of(value); }
  static constexpr bool holds(const T& value) noexcept {
    const std::size_t size = validation::size_of(value);
    return size >= Min && size <= Max;
  }
  template <class T>
  static std::string sentence() {
    return validation::size_sentence(Min, Max, std::is_convertible_v<const T&, std::string_view>);
  }
  template <class T>
  static std::string schema() {
    return validation::size_schema(Min, Max, std::is_convertible_v<const T&, std::string_view>);
  }
};

template <http::FixedString pattern>
struct Matches {
  static bool holds(std::string_view text) noexcept {
    return validation::matches(validation::kPatternSteps<pattern>, text);
  }
  static std::string sentence() { return "must match " + std::string(pattern.view()); }
  static std::string schema() { return validation::pattern_schema(pattern.view()); }
};

// No two elements are equal. Compares by `<`, so it takes time in n log n, whatever the elements are.
struct Distinct {
  template <class T>
    requires requires(const typename T::value_type& one) { one < one; }
  static bool holds(const T& all) {
    std::vector<const typename T::value_type*> sorted;
    sorted.reserve(all.size());
    for (const auto& one : all) sorted.push_back(&one);
    std::ranges::sort(sorted, [](const auto* a, const auto* b) { return *a < *b; });
    return std::ranges::adjacent_find(sorted, [](const auto* a, const auto* b) { return !(*a < *b); }) == sorted.end();
  }
  static std::string sentence() { return "must not contain a value twice"; }
  static std::string schema() { return "\"uniqueItems\":true"; }
};

template <TextFormat format>
struct Format {
  static bool holds(std::string_view text) noexcept { return has_format(text, format); }
  static std::string sentence() { return format_sentence(format); }
  static std::string schema() { return format_schema(format); }
};

}  // namespace rules
}  // namespace volt
