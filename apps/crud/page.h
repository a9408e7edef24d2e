// The page that uses the service: plain HTML, style and script, in the program itself.
#pragma once

#include <http/server/app.h>

namespace crud {

void add_page(volt::http::App& app);

}  // namespace crud
