// SPDX-License-Identifier: MIT

#include "apps/crud/page.h"

#include <string_view>

namespace crud {
namespace {

constexpr std::string_view kHtml =
#include <apps/crud/page/index.html.inc>
    ;
constexpr std::string_view kStyle =
#include <apps/crud/page/style.css.inc>
    ;
constexpr std::string_view kScript =
#include <apps/crud/page/script.js.inc>
    ;

}  // namespace

void add_page(volt::http::App& app) {
  using volt::http::Response;
  app.get("/", [] { return Response::fixed(kHtml, "text/html; charset=utf-8"); }).hidden();
  app.get("/style.css", [] { return Response::fixed(kStyle, "text/css; charset=utf-8"); }).hidden();
  app.get("/script.js", [] { return Response::fixed(kScript, "text/javascript; charset=utf-8"); }).hidden();
}

}  // namespace crud
