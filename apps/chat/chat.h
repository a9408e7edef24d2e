// SPDX-License-Identifier: MIT

// The service: chat rooms; every visitor of a room gets the lines of all its visitors.
#pragma once

#include <http/server/app.h>

namespace chat {

volt::http::App make_app();

}  // namespace chat
