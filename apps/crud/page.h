// SPDX-License-Identifier: MIT

// The page that uses the service: HTML, style and script, embedded in the program.
#pragma once

#include <http/server/app.h>

namespace crud {

void add_page(volt::http::App& app);

}  // namespace crud
