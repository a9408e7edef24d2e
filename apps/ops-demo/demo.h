// SPDX-License-Identifier: MIT

// The service: routes of several kinds. Clients inside the process send requests to them.
#pragma once

#include <http/server/app.h>

namespace demo {

[[nodiscard]] volt::http::App make_app();

}  // namespace demo
