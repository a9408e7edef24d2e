// SPDX-License-Identifier: MIT

// HTML pages by templates that the compiler checks. A view is a plain struct: its members are the values, and its
// member `html` is the template.
//
//   struct Row {
//     std::string name;
//     int price;
//     static constexpr http::Template html = "<li><a href=\"/pens/{{name}}\">{{name}}</a> for {{price}}</li>\n";
//   };
//   struct Shop {
//     std::string title;
//     std::vector<Row> rows;
//     static constexpr http::Template html = R"(
//   <!doctype html>
//   <title>{{title}}</title>
//   {{for row in rows}}{{row}}{{else}}<p>There are no pens.</p>{{end}}
//   )";
//   };
//   app.get("/", [] { return Shop{"Pens", {{"Lamy", 20}}}; });            // 200, text/html; charset=utf-8
//   return http::page(shop, Status::unprocessable_content);               // with another status
//
// A misspelt member, a value where HTML has no safe form for it, or a wrong tag does not compile. The error
// names the view, the line of its template, the text there, and the struct in question:
//   error: static assertion failed due to requirement ...: the struct has no member of this name
//   note: in instantiation of ... TemplateMistake<no_member, Shop, 4, Text<5>{"prise"}, Pen>
//
//   {{price}}  {{pen.color}}                   a member; an empty optional or pointer is written as nothing
//   {{if pen}} {{else if x}} {{else}} {{end}}  a bool, text, container, optional or pointer: is it true, not empty
//   {{if not pen}}
//   {{if count == 1}}  {{if a != b}}           numbers, texts, bools, enums
//   {{if color == 'blue'}}                     a text, or the name of an enumerator, which the compiler checks
//   {{for pen in pens}} {{else}} {{end}}       a container; {{else}} if it is empty
//   {{for name, price in prices}} {{end}}      a container of pairs
//   {{! a comment}}
//
// Part of a page (include): a member whose type has a template itself is rendered in its place; its members are the
// arguments. Layout: a view that is a class template has the page as a member:
//   template <class Page> struct Layout { std::string title; Page page; static constexpr http::Template html = ...; };
//   return Layout{.title = "Pens", .page = Shop{...}};
// A template may lie in a file of its own, which begins with R"( and ends with )":
//   static constexpr http::Template html =
//   #include "shop.html"
//       ;
//
// What is written by place (OWASP, Cross Site Scripting Prevention):
//   between tags, in <title>, <textarea>       & < > " ' escaped
//   an attribute between quotes                the same; without quotes it does not compile
//   href, src, action and other addresses      at the begin, only http, https, mailto, tel and relative addresses;
//                                              others become about:invalid. After it, percent-encoded: it stays one
//                                              segment, or one parameter
//   <script src>, <link href>, <iframe src>    only a TrustedUrl (http/web/trusted.h)
//   <script type="application/json">           the value as JSON, also a struct or a vector
//   other scripts, styles, on..., style=       does not compile
// TrustedHtml is written as it is. Numbers, bools, enums (their names) and types with `std::string to_text(const T&)`
// in their namespace are values like texts.
//
// Rejected: templates in files that are checked at start, as Mustache, Jinja and Go have them. They can be reloaded
// without a compiler, but each view needs a registration, mistakes appear when the program starts, and an interpreter
// looks names up in type-erased values for each page. Here one file is compiled again for a changed page.
// Also rejected: a builder in C++ (div(class_("a"), ...)), which designers and tools cannot read.
//
// Threads: pure functions, if reading the view is free of data races. Lifetime: a view that is a handler's result owns
// its texts, as every result does; render_html() and page() take views of any kind. Errors: of the compiler; while the
// program runs, only memory allocation and to_text() can throw. Bounds: a template has at most 16 KiB and 512 literals,
// values, ifs and loops. Time: in proportion to the page. Stack: in proportion to the depth of views within views.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/html/internal/compiled.h"
#include "http/html/internal/render.h"
#include "http/web/into_response.h"
#include "http/web/trusted.h"

namespace volt::http {

// The text of a template, which stands in the program.
class Template {
 public:
  consteval Template(const char* text) : text_(text) {}       // NOLINT: implicit by design
  consteval Template(std::string_view text) : text_(text) {}  // NOLINT: implicit by design
  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

 private:
  std::string_view text_;
};

template <html::HasTemplate View>
[[nodiscard]] std::string render_html(const View& view) {
  std::string out;
  out.reserve(html::kCompiled<View>.literal_bytes * 2);
  html::render(view, out);
  return out;
}

// Returns a page with content type `text/html; charset=utf-8`.
template <html::HasTemplate View>
[[nodiscard]] Response page(const View& view, Status status = Status::ok) {
  return Response::html(render_html(view), status);
}

// A view as the result of a handler.
template <html::HasTemplate View>
struct IntoResponse<View> {
  static Response from(const View& view, const Request&) { return page(view); }
  static void describe(openapi::Operation& operation) {
    operation.response(Status::ok, "text/html", openapi::plain_schema("string"));
  }
};

}  // namespace volt::http
