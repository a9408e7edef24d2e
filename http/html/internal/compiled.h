// SPDX-License-Identifier: MIT

// The compiled template of a view: its nodes, which exist at compile time only, or its mistake, which the compiler
// reports. Both are in one file, because each level of includes is a line of the report.
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
inline constexpr Parser kParsed(View::html.text());

template <class View>
inline constexpr auto kCompiled = [] {
  constexpr const Parser& parsed = kParsed<View>;
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

// True for any error but `error`; a template, because the compiler then does not explain it in three more lines.
template <TemplateError found, TemplateError error>
inline constexpr bool kOtherThan = found != error;

// Instantiated for a wrong template; the assertion that fails states the mistake. `View` is the type of the view,
// `line` the line of its template, `where` the text there, and `Value` the type of the value or struct in question.
template <TemplateError error, class View, std::size_t line, reflect::Text where, class Value>
struct TemplateMistake {
  using enum TemplateError;
  static_assert(kOtherThan<error, too_large>, "a template has at most 16 KiB: divide it");
  static_assert(kOtherThan<error, too_long>, "a template has at most 512 literals, values, ifs and loops: divide it");
  static_assert(kOtherThan<error, unclosed_tag>, "a {{ of the template has no }} in its line");
  static_assert(kOtherThan<error, unknown_tag>,
                "between {{ and }} is a member, `if`, `else`, `for`, `end`, or a comment that begins with !");
  static_assert(kOtherThan<error, bad_path>, "a value is named by members with dots between them: {{pen.color}}");
  static_assert(kOtherThan<error, bad_condition>,
                "a condition is `if member`, `if not member`, or a comparison by == or != with a member, a whole "
                "number or a 'text'");
  static_assert(kOtherThan<error, bad_loop>, "a loop is `for name in member`, or `for key, value in member` for pairs");
  static_assert(kOtherThan<error, stray_else>, "this {{else}} has no {{if}} or {{for}}, or is its second one");
  static_assert(kOtherThan<error, stray_end>, "this {{end}} has no {{if}} or {{for}}");
  static_assert(kOtherThan<error, missing_end>, "this {{if}} or {{for}} has no {{end}}");
  static_assert(kOtherThan<error, different_ends>,
                "a branch or a loop ends at another place of the HTML than it began or than the other branch does: in "
                "a tag, an attribute, an address or a script");
  static_assert(kOtherThan<error, unfinished>, "the template ends within a tag, a comment or a script");
  static_assert(kOtherThan<error, bare_less_than>, "write &lt; for a < that begins no tag");
  static_assert(kOtherThan<error, split_markup>,
                "a tag, or the name of an attribute, is divided by {{ }}: begin the text after it with a space");
  static_assert(kOtherThan<error, in_comment>, "a comment of HTML may not contain {{ }}: write {{! comment }}");
  static_assert(kOtherThan<error, in_script>,
                "a script may not contain {{ }}: write the value into <script type=\"application/json\"> or an "
                "attribute data-..., where the script reads it");
  static_assert(kOtherThan<error, in_style>, "a <style> may not contain {{ }}: choose a class instead");
  static_assert(kOtherThan<error, in_raw_element>,
                "this element may not contain {{ }}, because its text has no escapes");
  static_assert(kOtherThan<error, in_markup>, "{{ }} may not name tags and attributes");
  static_assert(kOtherThan<error, unquoted>, "put the value of the attribute between quotes");
  static_assert(kOtherThan<error, in_event_handler>,
                "an attribute on... is a script and may not contain {{ }}: write the value into an attribute data-...");
  static_assert(kOtherThan<error, in_style_attribute>,
                "an attribute style may not contain {{ }}: choose a class instead");
  static_assert(kOtherThan<error, in_document>, "srcdoc may not contain {{ }}: it is a document of its own");
  static_assert(kOtherThan<error, in_refresh>, "a <meta http-equiv> may not contain {{ }}");
  static_assert(kOtherThan<error, in_fixed_attribute>,
                "this attribute may not contain {{ }}, because it decides what other attributes mean");
  static_assert(kOtherThan<error, in_animation>, "an element that animates attributes may not contain {{ }}");
  static_assert(kOtherThan<error, in_json_string>, "a value in JSON has quotes of its own: leave out those around it");
  static_assert(kOtherThan<error, script_comment>, "a script may not contain <!--, which changes where it ends");
  static_assert(
      kOtherThan<error, scheme>,
      "an address begins with a value, with / ? # or a relative path, or with http:, https:, mailto: or tel:, "
      "written as one piece and without entities");
  static_assert(kOtherThan<error, no_member>, "the struct has no member of this name");
  static_assert(kOtherThan<error, no_struct>, "only members of plain structs can be named");
  static_assert(
      kOtherThan<error, no_text>,
      "this type has no text form: use a text, number, bool, enum with a fixed underlying type or a view with "
      "a template, or write std::string to_text(const T&) in the namespace of the type");
  static_assert(kOtherThan<error, no_json>, "this type has no JSON form");
  static_assert(kOtherThan<error, markup_misplaced>,
                "a view with a template, or a TrustedHtml, stands between tags, not in an attribute, a <title>, a "
                "<textarea> or a script");
  static_assert(kOtherThan<error, needs_trusted_url>,
                "this address decides what the page runs or embeds: its value must be a volt::http::TrustedUrl");
  static_assert(kOtherThan<error, url_misplaced>, "a TrustedUrl must begin the address");
  static_assert(kOtherThan<error, no_condition>,
                "a condition is a bool, text, container, optional or pointer; compare a number: {{if count == 1}}");
  static_assert(kOtherThan<error, no_comparison>,
                "these cannot be compared: a text is compared with a text, a number with a number, an enum with its "
                "own type or the name of an enumerator in quotes, a bool with a bool");
  static_assert(kOtherThan<error, no_enumerator>, "the enum has no enumerator of this name");
  static_assert(kOtherThan<error, no_range>, "{{for}} takes a container");
  static_assert(kOtherThan<error, no_pairs>, "{{for key, value in ...}} takes a container of pairs, such as std::map");
};

// The mistake at `span` of the template. `Value` must depend on the parameter of a generic lambda that reports it:
// otherwise the compiler would report the mistake whatever the parameter is.
template <TemplateError error, class View, Span span, class Value = View>
using MistakeAt = TemplateMistake<error, View, line_of<View>(span), kText<View, span>, Value>;

}  // namespace html
}  // namespace volt::http
