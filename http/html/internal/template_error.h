// SPDX-License-Identifier: MIT

// The mistakes of a template, which are errors of the compiler.
//
// Threads: constants.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reflect/text.h"

namespace volt::http::html {

enum class TemplateError : std::uint8_t {
  none,
  too_long,
  unclosed_tag,
  unknown_tag,
  bad_path,
  bad_condition,
  bad_loop,
  stray_else,
  stray_end,
  missing_end,
  different_ends,
  unfinished,
  bare_less_than,
  split_markup,
  in_comment,
  in_script,
  in_style,
  in_raw_element,
  in_markup,
  unquoted,
  in_event_handler,
  in_style_attribute,
  in_document,
  in_refresh,
  in_fixed_attribute,
  in_animation,
  in_json_string,
  script_comment,
  scheme,
  no_member,
  no_struct,
  no_text,
  no_json,
  markup_misplaced,
  needs_trusted_url,
  url_misplaced,
  no_condition,
  no_comparison,
  no_enumerator,
  no_range,
  no_pairs,
};

// Instantiated for a wrong template; the assertion that fails states the mistake. `View` is the type of the view,
// `line` the line of its template, and `where` the text there.
template <TemplateError error, class View, std::size_t line, reflect::Text where>
struct TemplateMistake {
  using enum TemplateError;
  static_assert(error != too_long, "a template has at most 512 literals, values, ifs and loops: divide it");
  static_assert(error != unclosed_tag, "a {{ of the template has no }} in its line");
  static_assert(error != unknown_tag,
                "between {{ and }} is a member, `if`, `else`, `for`, `end`, or a comment that begins with !");
  static_assert(error != bad_path, "a value is named by members with dots between them: {{pen.color}}");
  static_assert(error != bad_condition,
                "a condition is `if member`, `if not member`, or a comparison by == or != with a member, a whole "
                "number or a 'text'");
  static_assert(error != bad_loop, "a loop is `for name in member`, or `for key, value in member` for pairs");
  static_assert(error != stray_else, "this {{else}} has no {{if}} or {{for}}, or is its second one");
  static_assert(error != stray_end, "this {{end}} has no {{if}} or {{for}}");
  static_assert(error != missing_end, "this {{if}} or {{for}} has no {{end}}");
  static_assert(error != different_ends,
                "a branch or a loop ends at another place of the HTML than it began or than the other branch does: in "
                "a tag, an attribute, an address or a script");
  static_assert(error != unfinished, "the template ends within a tag, a comment or a script");
  static_assert(error != bare_less_than, "write &lt; for a < that begins no tag");
  static_assert(error != split_markup,
                "a tag, or the name of an attribute, is divided by {{ }}: begin the text after it with a space");
  static_assert(error != in_comment, "a comment of HTML may not contain {{ }}: write {{! comment }}");
  static_assert(error != in_script,
                "a script may not contain {{ }}: write the value into <script type=\"application/json\"> or an "
                "attribute data-..., where the script reads it");
  static_assert(error != in_style, "a <style> may not contain {{ }}: choose a class instead");
  static_assert(error != in_raw_element, "this element may not contain {{ }}, because its text has no escapes");
  static_assert(error != in_markup, "{{ }} may not name tags and attributes");
  static_assert(error != unquoted, "put the value of the attribute between quotes");
  static_assert(error != in_event_handler,
                "an attribute on... is a script and may not contain {{ }}: write the value into an attribute data-...");
  static_assert(error != in_style_attribute, "an attribute style may not contain {{ }}: choose a class instead");
  static_assert(error != in_document, "srcdoc may not contain {{ }}: it is a document of its own");
  static_assert(error != in_refresh, "a <meta http-equiv> may not contain {{ }}");
  static_assert(error != in_fixed_attribute,
                "this attribute may not contain {{ }}, because it decides what other attributes mean");
  static_assert(error != in_animation, "an element that animates attributes may not contain {{ }}");
  static_assert(error != in_json_string, "a value in JSON has quotes of its own: leave out those around it");
  static_assert(error != script_comment, "a script may not contain <!--, which changes where it ends");
  static_assert(
      error != scheme,
      "an address begins with a value, with / ? # or a relative path, or with http:, https:, mailto: or tel:, "
      "written as one piece and without entities");
  static_assert(error != no_member, "the struct has no member of this name");
  static_assert(error != no_struct, "only members of plain structs can be named");
  static_assert(
      error != no_text,
      "this type has no text form: use a text, number, bool, enum with a fixed underlying type or a view with "
      "a template, or write std::string to_text(const T&) in the namespace of the type");
  static_assert(error != no_json, "this type has no JSON form");
  static_assert(error != markup_misplaced,
                "a view with a template, or a TrustedHtml, stands between tags, not in an attribute, a <title>, a "
                "<textarea> or a script");
  static_assert(error != needs_trusted_url,
                "this address decides what the page runs or embeds: its value must be a volt::http::TrustedUrl");
  static_assert(error != url_misplaced, "a TrustedUrl must begin the address");
  static_assert(error != no_condition,
                "a condition is a bool, text, container, optional or pointer; compare a number: {{if count == 1}}");
  static_assert(error != no_comparison,
                "these cannot be compared: a text is compared with a text, a number with a number, an enum with its "
                "own type or the name of an enumerator in quotes, a bool with a bool");
  static_assert(error != no_enumerator, "the enum has no enumerator of this name");
  static_assert(error != no_range, "{{for}} takes a container");
  static_assert(error != no_pairs, "{{for key, value in ...}} takes a container of pairs, such as std::map");
};

}  // namespace volt::http::html
