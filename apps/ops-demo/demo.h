// A service of a few kinds of routes, which keeps itself busy.
#pragma once

#include <http/server/app.h>

namespace demo {

[[nodiscard]] volt::http::App make_app();

}  // namespace demo
