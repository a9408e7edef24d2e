// SPDX-License-Identifier: MIT

#include "http/ops/internal/page.h"

#include <string_view>

namespace volt::http::ops {
namespace {

constexpr std::string_view kPage =
#include <http/ops/internal/page.html.inc>
    ;
constexpr std::string_view kStyle =
#include <http/ops/internal/page.css.inc>
    ;
constexpr std::string_view kScript =
#include <http/ops/internal/page.js.inc>
    ;

}  // namespace

Response page() { return Response::fixed(kPage, "text/html; charset=utf-8"); }
Response page_style() { return Response::fixed(kStyle, "text/css; charset=utf-8"); }
Response page_script() { return Response::fixed(kScript, "text/javascript; charset=utf-8"); }

}  // namespace volt::http::ops
