// SPDX-License-Identifier: MIT

// The compiled template of a view: its nodes, which exist at compile time only.
//
// Threads: constants.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "http/html/internal/parser.h"
#include "http/html/internal/template_error.h"
#include "reflect/text.h"

namespace volt::http {

class Template;

namespace html {

// A struct with a member `static constexpr Template html`.
template <class T>
concept HasTemplate = requires { requires std::same_as<std::remove_cvref_t<decltype(T::html)>, Template>; };

template <std::size_t count>
struct Compiled {
  TemplateError error = TemplateError::none;
  Span where = {};
  std::array<Node, count> nodes = {};
  std::size_t literal_bytes = 0;
};

template <class View>
inline constexpr auto kCompiled = [] {
  constexpr Parser parsed(View::html.text());
  constexpr bool right = parsed.error() == TemplateError::none;
  Compiled<right ? parsed.size() : 0> compiled{.error = parsed.error(), .where = parsed.where()};
  for (std::size_t i = 0; i != compiled.nodes.size(); ++i) {
    compiled.nodes[i] = parsed[i];
    if (parsed[i].kind == NodeKind::literal) compiled.literal_bytes += parsed[i].text.size;
  }
  return compiled;
}();

template <class View, std::size_t I>
inline constexpr Node kNode = kCompiled<View>.nodes[I];

// A part of the template as a template argument.
template <class View, Span span>
inline constexpr auto kText = reflect::Text<span.size>::copy(span.of(View::html.text()));

template <class View>
consteval std::size_t line_of(Span span) noexcept {
  std::size_t line = 1;
  for (const char c : View::html.text().substr(0, span.begin)) line += c == '\n';
  return line;
}

// Reports a mistake at `span` of the template. A generic lambda passes the type of its parameter as `Value`: otherwise
// the compiler would report the mistake whatever the type is.
template <TemplateError error, class View, Span span, class Value = void>
constexpr void refuse() noexcept {
  static_cast<void>(sizeof(TemplateMistake<error, View, line_of<View>(span), kText<View, span>>));
}

}  // namespace html
}  // namespace volt::http
