// SPDX-License-Identifier: MIT

// Pages: the login, and the page on which users see and change their links and files (docs/html.md). Everything but the
// live changes and the clipboard works without a script.
#pragma once

#include <http/http.h>

namespace links {

struct PageGroups {
  volt::http::Group visitors;  // needs no User
  volt::http::Group logins;    // needs no User; a few requests of each client
  volt::http::Group members;   // needs a User
  volt::http::Group uploads;   // needs a User; large bodies
};

// Shows errors as pages to browsers. Needs http::Assets as state.
[[nodiscard]] volt::http::Middleware error_pages();

// Needs http::Assets as state.
void add_pages(PageGroups groups);

}  // namespace links
