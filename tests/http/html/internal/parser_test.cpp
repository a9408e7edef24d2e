// SPDX-License-Identifier: MIT

#include "http/html/internal/parser.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace volt::http::html {
namespace {

struct Case {
  std::string_view text;
  TemplateError error;
  std::string_view why;
};

void check(std::initializer_list<Case> cases) {
  for (const auto& [text, error, why] : cases) {
    CAPTURE(text);
    CAPTURE(why);
    CHECK(static_cast<int>(Parser(text).error()) == static_cast<int>(error));
  }
}

TEST_SUITE_BEGIN("http/html/internal/parser");

TEST_CASE("a value or a block stands only where HTML has a safe form for it") {
  using enum TemplateError;
  check({
      {"<p>{{a}}</p>", none, "text is escaped"},
      {"<title>{{a}}</title><textarea>{{a}}</textarea>", none, "text with escapes"},
      {"<p title=\"{{a}}\" class='{{a}}'>", none, "an attribute between quotes"},
      {"<p title={{a}}>", unquoted, "a space would end it"},
      {"<p title=a{{a}}>", unquoted, "also within the value"},
      {"<p title= >", unquoted, "an attribute without its value"},
      {"<p title=a\"b>", unquoted, "a quote in a value without quotes"},
      {"<p {{a}}>", in_markup, "the name of an attribute"},
      {"<p x{{a}}>", in_markup, "a part of it"},
      {"<{{a}}>", bare_less_than, "the name of a tag"},
      {"<p{{a}}>", in_markup, "a part of it"},
      {"</p {{a}}>", in_markup, "an end tag"},
      {"</p title=\"{{a}}\">", in_markup, "an attribute of an end tag"},
      {"<!-- {{a}} -->", in_comment, "a comment ends at -->"},
      {"<!--> {{a}} -->", in_comment, "a comment that ends at once"},
      {"<!-- a --!> b -->", in_comment, "a comment that a browser ends earlier"},
      {"<!-- a --><p>{{a}}", none, "after a comment"},
      {"<!doctype {{a}}>", split_markup, "a declaration"},
      {"<script>var a = {{a}};</script>", in_script, "a script"},
      {"<SCRIPT src=\"x\">{{a}}</SCRIPT>", in_script, "in capital letters"},
      {"<script type=\"text/javascript\">{{a}}</script>", in_script, "a script by its type"},
      {"<script type=\"application/json\">{{a}}</script>", none, "JSON"},
      {"<script type=application/ld+json>{\"a\":{{a}}}</script>", none, "JSON by its suffix, without quotes"},
      {"<script type=\"application/json\" type=\"module\">{{a}}</script>", none, "the first of two types counts"},
      {"<script type=\"module\" type=\"application/json\">{{a}}</script>", in_script, "the first of two types counts"},
      {"<script type=\"{{a}}\"></script>", in_fixed_attribute, "a type that is not known"},
      {"<script type=\"application/json\">\"{{a}}\"</script>", in_json_string, "a value has quotes of its own"},
      {"<script type=\"application/json\">\"\\\"\",{{a}}</script>", none, "an escaped quote"},
      {"<script type=\"application/json\">\"<b>\"</script>", bare_less_than, "markup in JSON"},
      {"<script>a <!-- b</script>", script_comment, "a script that ends elsewhere in a browser"},
      {"<script>if (a < b) {}</script><p>{{a}}", none, "a script without values"},
      {"<style>a{{a}}</style>", in_style, "a style"},
      {"<iframe src=\"/x\">{{a}}</iframe>", in_raw_element, "text without escapes"},
      {"<iframe src=\"{{a}}\"></iframe>{{a}}", none, "the text after it"},
      {"<plaintext>{{a}}", in_raw_element, "an element that never ends"},
      {"<textarea><b>{{a}}</b></textarea>", bare_less_than, "a tag that is text"},
      {"<title>a</tit{{a}}le>", bare_less_than, "an end tag in two parts"},
      {"<textarea><{{a}}</textarea>", bare_less_than, "a value that would continue an end tag"},
      {"<p onclick=\"f({{a}})\">", in_event_handler, "a script in an attribute"},
      {"<p OnClick='{{a}}'>", in_event_handler, "in capital letters"},
      {"<p style=\"color: {{a}}\">", in_style_attribute, "a style in an attribute"},
      {"<iframe srcdoc=\"{{a}}\">", in_document, "a document in an attribute"},
      {"<meta http-equiv=\"refresh\" content=\"{{a}}\">", in_refresh, "an address without its own attribute"},
      {"<meta content=\"{{a}}\" http-equiv=\"refresh\">", in_refresh, "in the other order"},
      {"<meta name=\"a\" content=\"{{a}}\">", none, "another meta"},
      {"<link rel=\"{{a}}\">", in_fixed_attribute, "decides what the link does"},
      {"<input type=\"{{a}}\">", none, "a type that decides nothing about safety"},
      {"<svg><set attributeName=\"href\" to=\"{{a}}\"></svg>", in_animation, "changes an attribute"},
      {"a < b", bare_less_than, "a < that begins no tag"},
      {"<p title=\"a", unfinished, "a tag without its end"},
      {"<script>", unfinished, "a script without its end"},
      {"<p>", none, "elements need no end tag in HTML"},
  });
}

TEST_CASE("a value cannot choose the scheme of an address together with the text around it") {
  using enum TemplateError;
  check({
      {"<a href=\"{{a}}\">", none, "the value is checked"},
      {"<a href=\"/x/{{a}}?b={{b}}#{{c}}\">", none, "after a slash"},
      {"<a href=\"x{{a}}\">", none, "its colons are escaped"},
      {"<a href=\"https://{{a}}/\">", none, "a safe scheme"},
      {"<a href=\"mailto:{{a}}\">", none, "another safe scheme"},
      {"<a href=\"javascript:f()\">", none, "without a value"},
      {"<a href=\"javascript:f('{{a}}')\">", scheme, "a value in a script"},
      {"<a href=\"JavaScript:{{a}}\">", scheme, "in capital letters"},
      {"<a href=\" javascript:{{a}}\">", scheme, "a browser skips spaces"},
      {"<a href=\"java&#115;cript:{{a}}\">", scheme, "a browser reads entities"},
      {"<a href=\"data:text/html,{{a}}\">", scheme, "a document in an address"},
      {"<a href=\"{{a}}:{{b}}\">", scheme, "a value as the scheme"},
      {"<a href=\"x{{a}}:b\">", scheme, "a value within the scheme"},
      {"<a href=\"{{if a}}java{{end}}script:{{b}}\">", different_ends, "a scheme in two parts"},
      {"<a href=\"{{if a}}/x{{else}}/y{{end}}/{{b}}\">", none, "two ways to one place"},
      {"<a href=\"{{for a in b}}{{a}}{{end}}\">", different_ends, "the second value has another place than the first"},
      {"<a href=\"{{a}}/{{b}}\">", none, "after the first segment"},
      {"<form action='{{a}}'><img src=\"{{a}}\">", none, "other attributes with addresses"},
  });
}

TEST_CASE("the ways through a block end at one place") {
  using enum TemplateError;
  check({
      {"{{if a}}<b>{{else}}<i>{{end}}", none, "both ends are text"},
      {"{{if a}}<b>{{else if c}}x{{else}}<i>{{end}}{{b}}", none, "three ways"},
      {"<p{{if a}} class=\"b\"{{end}}>", none, "an attribute after a space"},
      {"<p {{if a}}hidden{{end}} title=\"b\">", none, "a name that ends before a space"},
      {"<p {{if a}}hidden{{else}}title=\"b\"{{end}}>", none, "a name that ends before >"},
      {"<p {{if a}}on{{end}}click=\"f()\">", split_markup, "a name in two parts"},
      {"<p {{if a}}on{{end}}{{if b}}click=\"f()\"{{end}}>", split_markup, "a name in two blocks"},
      {"<p {{for a in b}}x{{end}}>", different_ends, "xx is one name"},
      {"<p{{for a in b}} x{{end}}>", none, "names with spaces between them"},
      {"<p {{if a}}title={{end}}\"x\">", unquoted, "a name without its value"},
      {"<p title=\"{{if a}}\">{{end}}", different_ends, "one way leaves the tag"},
      {"<p title={{if a}}\"b\"{{end}}>", unquoted, "quotes within a block"},
      {"{{if a}}<script>{{end}}", different_ends, "one way enters a script"},
      {"{{for a in b}}<p title=\"{{end}}\">", different_ends, "a loop that enters a value"},
      {"<script>{{if a}}b{{end}}</script>", in_script, "a block in a script"},
      {"<script type=\"application/json\">[{{for a in b}}{{a}},{{end}}0]</script>", none, "a loop in JSON"},
      {"<meta {{if a}}http-equiv=\"refresh\"{{end}} content=\"{{b}}\">", different_ends, "one way is a refresh"},
  });
}

TEST_CASE("the tags of a template are few, and their mistakes have a place") {
  using enum TemplateError;
  struct {
    std::string_view text;
    TemplateError error;
    std::string_view where;
  } const cases[] = {
      {"{{a}}{{ a.b }}{{_x1.y}}", none, ""},
      {"{{! any text \n of a comment }}", none, ""},
      {"a{{b", unclosed_tag, "{{b"},
      {"a{{b\n}}", unclosed_tag, "{{b"},
      {"{{}}", unknown_tag, ""},
      {"{{'a'}}", unknown_tag, "'a'"},
      {"{{a b}}", bad_path, "a b"},
      {"{{a.}}", bad_path, "a."},
      {"{{a.1}}", bad_path, "a.1"},
      {"{{if}}{{end}}", bad_condition, "if"},
      {"{{if a b}}{{end}}", bad_condition, "if a b"},
      {"{{if a =}}{{end}}", bad_condition, "if a ="},
      {"{{if a == }}{{end}}", bad_condition, "if a =="},
      {"{{if not a == b}}{{end}}", bad_condition, "if not a == b"},
      {"{{if a == 'b}}{{end}}", bad_condition, "if a == 'b"},
      {"{{if a == 'b'}}{{else if a != -3}}{{else if a == b.c}}{{end}}", none, ""},
      {"{{for a}}{{end}}", bad_loop, "for a"},
      {"{{for a in}}{{end}}", bad_loop, "for a in"},
      {"{{for a, in b}}{{end}}", bad_loop, "for a, in b"},
      {"{{for a.b in c}}{{end}}", bad_loop, "for a.b in c"},
      {"{{for a, b in c}}{{else}}{{end}}", none, ""},
      {"{{else}}", stray_else, "else"},
      {"{{if a}}{{else}}{{else}}{{end}}", stray_else, "else"},
      {"{{end}}", stray_end, "end"},
      {"{{if a}}", missing_end, ""},
      {"{{for a in b}}{{if c}}{{end}}", missing_end, ""},
      {"{{end a}}", unknown_tag, "end a"},
      {"{{else a}}", unknown_tag, "else a"},
  };
  for (const auto& [text, error, where] : cases) {
    CAPTURE(text);
    const Parser parsed(text);
    CHECK(static_cast<int>(parsed.error()) == static_cast<int>(error));
    if (error != none) CHECK(parsed.where().of(text) == where);
  }
}

TEST_CASE("a template has a bounded size") {
  using enum TemplateError;
  CHECK(Parser(std::string(kTemplateBytesMax, 'a')).error() == none);
  CHECK(Parser(std::string(kTemplateBytesMax + 1, 'a')).error() == too_large);
}

TEST_CASE("a template has a bounded number of nodes") {
  using enum TemplateError;
  std::string text;
  for (std::size_t i = 0; i != kNodesMax; ++i) text += "{{a}}";
  CHECK(Parser(text).error() == none);
  CHECK(Parser(text + "{{a}}").error() == too_long);
  CHECK(Parser(text + "{{if a}}{{b}}{{end}}").error() == too_long);
}

TEST_SUITE_END();

}  // namespace
}  // namespace volt::http::html
