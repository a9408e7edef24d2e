// The service: a counter that goes on, and what people say, as server-sent events.
#pragma once

#include <http/server/app.h>

namespace sse {

volt::http::App make_app();

}  // namespace sse
