// The app: its routes, their handlers and its middleware.
#pragma once

#include <http/http.h>

#include "settings.h"

// Returns the app, for main() and for the tests.
volt::http::App make_app(const Settings& settings);
