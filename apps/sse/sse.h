// SPDX-License-Identifier: MIT

// The service: a counter and the messages of visitors, as server-sent events.
#pragma once

#include <http/server/app.h>

namespace sse {

volt::http::App make_app();

}  // namespace sse
