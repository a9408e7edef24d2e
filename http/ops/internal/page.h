// SPDX-License-Identifier: MIT

// The status page at /, its script and its style sheet. The build embeds them from the files in this folder
// (cmake/embed.cmake). Script and style are separate files so that the Content-Security-Policy can forbid inline ones.
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
