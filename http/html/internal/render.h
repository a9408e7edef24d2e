// SPDX-License-Identifier: MIT

// Renders a view. Each node of its template becomes a statement of the program: literals are appended, members are read
// directly. Nothing is looked up, and nothing is parsed, while the program runs.
//
// Threads: pure functions, if reading the view is free of data races. Recursion: as deep as views contain views.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "http/html/internal/compiled.h"
#include "http/html/internal/condition.h"
#include "http/html/internal/path.h"
#include "http/html/internal/value.h"

namespace volt::http::html {

// The nodes from `first` up to `last` without those within blocks.
template <class View, std::size_t first, std::size_t last>
inline constexpr auto kSiblings = [] {
  constexpr auto next = [](std::size_t i) {
    const Node& node = kCompiled<View>.nodes[i];
    return node.end == 0 ? i + 1 : std::size_t{node.end};
  };
  constexpr std::size_t count = [next] {
    std::size_t sum = 0;
    for (std::size_t i = first; i < last; i = next(i)) ++sum;
    return sum;
  }();
  std::array<std::size_t, count> siblings{};
  std::size_t i = first;
  for (std::size_t& sibling : siblings) {
    sibling = i;
    i = next(i);
  }
  return siblings;
}();

template <class View, std::size_t I, class Scope>
void render_node(const Scope& scope, std::string& out);

template <class View, std::size_t first, std::size_t last, class Scope>
void render_nodes([[maybe_unused]] const Scope& scope, [[maybe_unused]] std::string& out) {
  constexpr auto& siblings = kSiblings<View, first, last>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    // No fold expression, because compilers limit the number of its operands.
    [[maybe_unused]] const bool done[] = {true, (render_node<View, siblings[I]>(scope, out), true)...};
  }(std::make_index_sequence<siblings.size()>{});
}

template <class T>
concept PairLike = requires { requires std::tuple_size<T>::value == 2; };

// Renders the body of the loop at node I for one element.
template <class View, std::size_t I, class Scope, class Element>
void render_element(const Scope& scope, const Element& element, std::string& out) {
  constexpr const Node& node = kNode<View, I>;
  if constexpr (node.second.empty()) {
    const LoopScope<Scope, Path<View, node.first>, Element> inner{scope, element};
    render_nodes<View, I + 1, node.otherwise>(inner, out);
  } else if constexpr (!PairLike<Element>) {
    static_cast<void>(sizeof(MistakeAt<TemplateError::no_pairs, View, kNode<View, I>.text, Element>));
  } else {
    const auto& [key, value] = element;
    using Keys = LoopScope<Scope, Path<View, node.first>, std::remove_cvref_t<decltype(key)>>;
    const Keys keys{scope, key};
    const LoopScope<Keys, Path<View, node.second>, std::remove_cvref_t<decltype(value)>> inner{keys, value};
    render_nodes<View, I + 1, node.otherwise>(inner, out);
  }
}

template <class View, std::size_t I, class Scope>
void render_loop(const Scope& scope, std::string& out) {
  constexpr const Node& node = kNode<View, I>;
  bool any = false;
  scope.template with<Path<View, node.text>>([&](const auto& value) {
    unwrapped(value, [&]<class Range>(const Range& range) {
      if constexpr (Iterable<Range>) {
        for (const auto& element : range) {
          any = true;
          render_element<View, I>(scope, element, out);
        }
      } else {
        static_cast<void>(sizeof(MistakeAt<TemplateError::no_range, View, kNode<View, I>.text, Range>));
      }
    });
  });
  if (!any) render_nodes<View, node.otherwise, node.end>(scope, out);
}

template <class View, std::size_t I, class Scope>
void render_node(const Scope& scope, std::string& out) {
  constexpr const Node& node = kNode<View, I>;
  if constexpr (node.kind == NodeKind::literal) {
    out += node.text.of(View::html.text());
  } else if constexpr (node.kind == NodeKind::value) {
    scope.template with<Path<View, node.text>>([&out](const auto& value) { append_value<View, I>(value, out); });
  } else if constexpr (node.kind == NodeKind::loop) {
    render_loop<View, I>(scope, out);
  } else if (holds<View, I>(scope)) {
    render_nodes<View, I + 1, node.otherwise>(scope, out);
  } else {
    render_nodes<View, node.otherwise, node.end>(scope, out);
  }
}

template <HasTemplate View>
void render(const View& view, std::string& out) {
  if constexpr (kCompiled<View>.error != TemplateError::none) {
    static_cast<void>(sizeof(MistakeAt<kCompiled<View>.error, View, kCompiled<View>.where>));
  } else {
    render_nodes<View, 0, kCompiled<View>.nodes.size()>(ViewScope<View>{view}, out);
  }
}

}  // namespace volt::http::html
