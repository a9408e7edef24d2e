// From a request to exactly one response: every way out of a handler ends here.
#pragma once

#include "http/app.h"
#include "http/handler.h"
#include "http/request.h"
#include "http/response.h"
#include "runtime/task.h"

namespace volt::http::serve {

// The answer of a plain handler, or of none: 404, 405 with Allow, 204 to OPTIONS. What the handler throws becomes a 500.
[[nodiscard]] Response respond(const App::Found& found, Request& request) noexcept;

// The answer of a coroutine. Only Cancelled passes through, and only if the calling task is cancelled.
[[nodiscard]] Task<Response> respond_later(const Handler::Coroutine& handler, Request& request);

}  // namespace volt::http::serve
