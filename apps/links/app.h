// SPDX-License-Identifier: MIT

// The app, for main() and for the tests.
#pragma once

#include <http/http.h>
#include <http/middleware/passwords.h>

#include "apps/links/checks.h"
#include "apps/links/settings.h"

namespace links {

// Opens the database and creates the folders. `checker`: of settings.checker; a test has one of its own.
[[nodiscard]] volt::http::App make_app(const Settings& settings, Checker checker,
                                       volt::http::PasswordOptions passwords = {});

}  // namespace links
