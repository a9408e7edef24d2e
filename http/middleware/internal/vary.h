// Vary: on which of the request's fields an answer depends (RFC 9110 section 12.5.5).
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "http/web/response.h"

namespace volt::http::middleware {

// Adds a field's name, if it is not there yet.
void vary_on(Response& response, std::string_view field_name);

}  // namespace volt::http::middleware
