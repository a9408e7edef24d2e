// SPDX-License-Identifier: MIT

// Evaluates the condition of an {{if}}.
//
// Threads: pure functions.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "http/html/internal/compiled.h"
#include "http/html/internal/path.h"
#include "http/json/shape.h"
#include "http/message/ascii.h"
#include "http/validation/checked.h"
#include "http/web/trusted.h"
#include "reflect/enumerator.h"

namespace volt::http::html {

template <class T>
concept Iterable = requires(const T& value) { std::begin(value) != std::end(value); } && !json::Text<T>;

template <class T>
concept Trusted = std::same_as<T, TrustedHtml> || std::same_as<T, TrustedUrl>;

// Whether a value counts as true: a bool, a text or a container that is not empty, an optional or a pointer that is not
// empty.
template <class View, std::size_t I, class T>
bool truth_of(const T& value) {
  if constexpr (validation::IsChecked<T>) {
    return truth_of<View, I>(value.value());
  } else if constexpr (std::same_as<T, bool> || Reference<T>) {
    return static_cast<bool>(value);
  } else if constexpr (json::Text<T>) {
    if constexpr (std::is_pointer_v<T>) {
      if (value == nullptr) return false;
    }
    return !std::string_view(value).empty();
  } else if constexpr (Trusted<T>) {
    return !value.view().empty();
  } else if constexpr (Iterable<T>) {
    return std::begin(value) != std::end(value);
  } else {
    static_cast<void>(sizeof(MistakeAt<TemplateError::no_condition, View, kNode<View, I>.text, T>));
    return false;
  }
}

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool> && !json::Character<T>;

template <class A, class B>
concept Comparable = (json::Text<A> && json::Text<B>) || (Number<A> && Number<B>) ||
                     (std::same_as<A, B> && (std::is_enum_v<A> || std::same_as<A, bool>));

template <class A, class B>
  requires Comparable<A, B>
bool equals(const A& a, const B& b) {
  if constexpr (json::Text<A>) {
    return std::string_view(a) == std::string_view(b);
  } else if constexpr (std::integral<A> && std::integral<B> && !std::same_as<A, bool>) {
    return std::cmp_equal(a, b);
  } else if constexpr (Number<A>) {
    return static_cast<double>(a) == static_cast<double>(b);
  } else {
    return a == b;
  }
}

// Compares a value with the literal at `span`: a whole number, or a text between quotes.
template <class View, Span span, class T>
bool equals_literal(const T& value) {
  constexpr std::string_view literal = span.of(View::html.text());
  if constexpr (literal.front() == '\'') {
    constexpr std::string_view text = literal.substr(1, literal.size() - 2);
    if constexpr (reflect::NamedEnum<T>) {
      constexpr auto enumerator = reflect::enumerator_value<T>(text);
      if constexpr (!enumerator) {
        static_cast<void>(sizeof(MistakeAt<TemplateError::no_enumerator, View, span, T>));
        return false;
      } else {
        return value == *enumerator;
      }
    } else if constexpr (json::Text<T>) {
      return equals(value, text);
    } else {
      static_cast<void>(sizeof(MistakeAt<TemplateError::no_comparison, View, span, T>));
      return false;
    }
  } else if constexpr (Number<T>) {
    std::int64_t number = 0;
    std::from_chars(literal.data(), literal.data() + literal.size(), number);
    return equals(value, number);
  } else {
    static_cast<void>(sizeof(MistakeAt<TemplateError::no_comparison, View, span, T>));
    return false;
  }
}

constexpr bool is_literal(std::string_view operand) noexcept {
  return operand.front() == '\'' || operand.front() == '-' || message::is_digit(operand.front());
}

// Whether both sides of the comparison of node I are equal. An empty optional is equal to nothing.
template <class View, std::size_t I, class Scope>
bool sides_are_equal(const Scope& scope) {
  constexpr const Node& node = kNode<View, I>;
  bool equal = false;
  scope.template with<Path<View, node.text>>([&](const auto& left) {
    unwrapped(left, [&]<class Left>(const Left& a) {
      if constexpr (is_literal(node.right.of(View::html.text()))) {
        equal = equals_literal<View, node.right>(a);
      } else {
        scope.template with<Path<View, node.right>>([&](const auto& right) {
          unwrapped(right, [&]<class Right>(const Right& b) {
            if constexpr (Comparable<Left, Right>) {
              equal = equals(a, b);
            } else {
              static_cast<void>(sizeof(MistakeAt<TemplateError::no_comparison, View, kNode<View, I>.right, Right>));
            }
          });
        });
      }
    });
  });
  return equal;
}

template <class View, std::size_t I, class Scope>
bool holds(const Scope& scope) {
  constexpr const Node& node = kNode<View, I>;
  if constexpr (node.comparison != Operator::is_true) {
    return sides_are_equal<View, I>(scope) == (node.comparison == Operator::equal);
  } else {
    bool truth = false;
    scope.template with<Path<View, node.text>>([&truth](const auto& value) { truth = truth_of<View, I>(value); });
    return truth != node.negated;
  }
}

}  // namespace volt::http::html
