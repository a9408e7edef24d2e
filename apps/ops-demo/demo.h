// SPDX-License-Identifier: MIT

// The service: a few kinds of routes, and a load on them from inside the process.
#pragma once

#include <http/server/app.h>

namespace demo {

[[nodiscard]] volt::http::App make_app();

}  // namespace demo
