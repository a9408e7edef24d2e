// SPDX-License-Identifier: MIT

// Checked: a value that satisfies rules, which are part of its type. A request, a form, a query or a setting with a
// value that breaks a rule is refused, and the OpenAPI document states the rules.
//
//   struct NewPen {
//     volt::Length<std::string, 1, 80> name;
//     volt::Ranged<int, 1, 10'000> price;
//     volt::Pattern<"[A-Z]{2}-[0-9]+"> article;
//     std::optional<volt::Unique<std::vector<Color>>> colors = {};
//     std::optional<volt::Email> contact = {};
//   };
//   in->price + 1;  in->name->size();  const std::string& name = in->name;     // a Checked converts to its value
//
//   Ranged<T, Min, Max>        a number from Min to Max; a duration or a ByteSize with Min to Max of its own units
//   AtLeast<T, Min>            a number of at least Min
//   Length<T, Min, Max>        a text of Min to Max characters (code points), or a container with Min to Max elements
//   Pattern<"...">             a text that matches as a whole; http/validation/pattern.h has the dialect
//   Unique<T>                  a container without equal elements
//   Email, Uuid, Uri, Date, DateTime    a text of that format; http/validation/formats.h says what exactly is valid
//   Checked<T, Rules...>       all of the rules, those of http/validation/rules.h and of one's own
//
// A rule of one's own is a type with two or three static functions:
//   struct Even {
//     static bool holds(int value) { return value % 2 == 0; }
//     static std::string sentence() { return "must be even"; }
//     static std::string schema() { return R"("multipleOf":2)"; }   // optional: members for the JSON Schema
//   };
//   volt::Checked<int, Even, volt::rules::Range<0, 100>> places;
//
// Threads: values. Errors: the constructor throws std::invalid_argument if the value breaks a rule; in a constant
// expression that does not compile. Only a default-constructed Checked may hold a value that breaks the rules; it is
// found like a missing value when a struct is read.
#pragma once

#include <concepts>
#include <cstddef>
#include <expected>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "http/validation/rules.h"

namespace volt {

namespace http::validation {

// A rule may say the same in other words for other types, so its functions may be templates: sentence<T>().
template <class Rule, class T>
std::string sentence_of() {
  if constexpr (requires { Rule::template sentence<T>(); }) {
    return Rule::template sentence<T>();
  } else {
    return Rule::sentence();
  }
}

template <class Rule, class T>
std::string schema_of_rule() {
  if constexpr (requires { Rule::template schema<T>(); }) {
    return Rule::template schema<T>();
  } else if constexpr (requires { Rule::schema(); }) {
    return Rule::schema();
  } else {
    return {};
  }
}

}  // namespace http::validation

template <class Rule, class T>
concept RuleFor = requires(const T& value) {
  { Rule::holds(value) } -> std::convertible_to<bool>;
  requires requires { Rule::sentence(); } || requires { Rule::template sentence<T>(); };
};

template <class T, class... Rules>
class Checked {
  static constexpr bool kFits = (RuleFor<Rules, T> && ...);
  static_assert(kFits,
                "a rule of Checked<T, Rules...> has `static bool holds(const T&)` and `static std::string sentence()`");

 public:
  using CheckedValue = T;

  Checked() = default;
  template <class From>
    requires(std::constructible_from<T, From &&> && !std::same_as<std::remove_cvref_t<From>, Checked>)
  constexpr Checked(From&& from) : value_(std::forward<From>(from)) {  // NOLINT: implicit, so that `price = 3` works
    if (!holds(value_)) throw std::invalid_argument("a value " + broken(value_));
  }

  [[nodiscard]] constexpr const T& value() const noexcept { return value_; }
  constexpr operator const T&() const noexcept { return value_; }  // NOLINT: implicit by design
  constexpr const T& operator*() const noexcept { return value_; }
  constexpr const T* operator->() const noexcept { return &value_; }

  // Numbers are compared by their conversion. These templates are for other values, such as texts, and avoid that a
  // number could be compared in two ways.
  template <std::same_as<Checked> C>
  friend constexpr bool operator==(const C& a, const C& b) {
    return a.value_ == b.value_;
  }
  template <std::same_as<Checked> C, class Other>
    requires(!std::is_arithmetic_v<Other> && !std::same_as<Other, C>)
  friend constexpr bool operator==(const C& a, const Other& b) {
    return a.value_ == b;
  }

  [[nodiscard]] static constexpr bool holds(const T& value) {
    if constexpr (kFits) return (Rules::holds(value) && ...);
    return true;
  }
  // Returns the sentence of the first rule that `value` breaks, such as "must be from 1 to 100"; empty if none.
  [[nodiscard]] static std::string broken(const T& value) {
    std::string sentence;
    if constexpr (kFits)
      static_cast<void>(
          ((Rules::holds(value) || (sentence = http::validation::sentence_of<Rules, T>(), false)) && ...));
    return sentence;
  }
  // Returns the Checked of a value, or the sentence of the rule that it breaks.
  [[nodiscard]] static std::expected<Checked, std::string> from(T value) {
    if (!holds(value)) return std::unexpected(broken(value));
    Checked checked;
    checked.value_ = std::move(value);
    return checked;
  }
  // Returns the members of the JSON Schema for all rules, such as `"minimum":1,"maximum":100`.
  [[nodiscard]] static std::string schema_members() {
    std::string members;
    const auto add = [&members](const std::string& more) {
      if (!more.empty()) members.append(members.empty() ? "" : ",").append(more);
    };
    (add(http::validation::schema_of_rule<Rules, T>()), ...);
    return members;
  }
  // Returns the sentences of all rules, joined by "and".
  [[nodiscard]] static std::string sentences() {
    std::string all;
    ((all.append(all.empty() ? "" : " and ").append(http::validation::sentence_of<Rules, T>())), ...);
    return all;
  }

 private:
  T value_;
};

template <class T, auto Min, auto Max>
using Ranged = Checked<T, rules::Range<Min, Max>>;
template <class T, auto Min>
using AtLeast = Checked<T, rules::Minimum<Min>>;
template <class T, std::size_t Min, std::size_t Max>
using Length = Checked<T, rules::Size<Min, Max>>;
template <class T>
using Unique = Checked<T, rules::Distinct>;
template <http::FixedString pattern>
using Pattern = Checked<std::string, rules::Matches<pattern>>;
using Email = Checked<std::string, rules::Format<TextFormat::email>>;
using Uuid = Checked<std::string, rules::Format<TextFormat::uuid>>;
using Uri = Checked<std::string, rules::Format<TextFormat::uri>>;
using Date = Checked<std::string, rules::Format<TextFormat::date>>;
using DateTime = Checked<std::string, rules::Format<TextFormat::date_time>>;

namespace http {

namespace validation {

template <class T>
concept IsChecked = requires { typename T::CheckedValue; };

}  // namespace validation

template <class T>
struct JsonConverter;

template <class T, class... Rules>
struct JsonConverter<Checked<T, Rules...>> {
  static const T& to(const Checked<T, Rules...>& checked) noexcept { return checked.value(); }
  static std::expected<Checked<T, Rules...>, std::string> from(T value) {
    return Checked<T, Rules...>::from(std::move(value));
  }
};

}  // namespace http
}  // namespace volt
