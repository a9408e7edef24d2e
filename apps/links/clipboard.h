// SPDX-License-Identifier: MIT

// Clipboard: what a user writes on one device appears on the others, over WebSockets.
#pragma once

#include <http/http.h>

namespace links {

// Adds the WebSocket to `api`, which needs a User.
void add_clipboard(volt::http::App& app, volt::http::Group& api);

}  // namespace links
