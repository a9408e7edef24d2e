// The service: rooms, in which everybody hears what anybody says.
#pragma once

#include <http/server/app.h>

namespace chat {

volt::http::App make_app();

}  // namespace chat
