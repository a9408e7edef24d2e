// The page at /, and what it loads: the files beside this one, embedded by the build (cmake/embed.cmake). Scripts and
// styles are files of their own so that its Content-Security-Policy need not allow any in the page.
#pragma once

#include "http/web/response.h"

namespace volt::http::ops {

[[nodiscard]] Response page();
[[nodiscard]] Response page_style();
[[nodiscard]] Response page_script();

inline constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace volt::http::ops
