// SPDX-License-Identifier: MIT

// PatternFor: the pattern of a route, such as `/items/{id}` (http/route/pattern.h has the grammar). The compiler checks
// that the pattern is well-formed and fits the handler: the handler takes either as many Path<> parameters as the
// pattern has, or none.
//
// A pattern that is composed at run time is written runtime_pattern(text) and is checked when the route is registered.
#pragma once

#include <concepts>
#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>

#include "http/route/pattern.h"
#include "http/web/handler.h"

namespace volt::http {

struct RuntimePattern {
  std::string text;
};
inline RuntimePattern runtime_pattern(std::string text) { return {std::move(text)}; }

// The names of these functions state mistakes in a pattern. The functions are deliberately not constexpr: PatternFor
// calls them in a constant expression, which is a compile error that shows the function's name.
namespace route_pattern {
void a_parameter_of_the_pattern_must_be_written_in_braces();
void the_pattern_must_begin_with_a_slash();
void the_pattern_is_malformed();
void the_handler_takes_more_path_parameters_than_the_pattern_has();
void the_handler_takes_fewer_path_parameters_than_the_pattern_has();
}  // namespace route_pattern

template <class F>
constexpr std::size_t path_parameters_of() {
  if constexpr (std::same_as<F, Handler>) {
    return 0;
  } else if constexpr (web::kIsHandler<F>) {
    return web::CallFor<F>::kFromPath;
  } else {
    return 0;
  }
}

// The pattern of a route whose handler is an F. If F is not a handler, the compiler reports it here already, where its
// output is shortest.
template <class F>
class PatternFor {
  static_assert(sizeof(web::HandlerMistakeIfAny<F>) > 0);

 public:
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  consteval PatternFor(const Text& text,  // NOLINT: implicit, so that routes read app.get("/path", f)
                       std::source_location where = std::source_location::current())
      : text_(text), where_(where) {
    const route::Pattern pattern = route::parse_pattern_rest(text_);
    constexpr std::size_t kTaken = path_parameters_of<F>();
    if (pattern.error == route::kNoBraces) route_pattern::a_parameter_of_the_pattern_must_be_written_in_braces();
    if (pattern.error == route::kNoSlash) route_pattern::the_pattern_must_begin_with_a_slash();
    if (!pattern.valid()) route_pattern::the_pattern_is_malformed();
    if (kTaken > pattern.parameter_count) {
      route_pattern::the_handler_takes_more_path_parameters_than_the_pattern_has();
    }
    if (kTaken != 0 && kTaken < pattern.parameter_count) {
      route_pattern::the_handler_takes_fewer_path_parameters_than_the_pattern_has();
    }
  }
  PatternFor(const RuntimePattern& pattern,  // NOLINT: implicit, like the first constructor; refers to `pattern`
             std::source_location where = std::source_location::current())
      : text_(pattern.text), where_(where) {}

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::source_location where() const noexcept { return where_; }

 private:
  std::string_view text_;
  std::source_location where_;
};

}  // namespace volt::http
