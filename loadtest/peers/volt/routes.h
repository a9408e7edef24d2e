// SPDX-License-Identifier: MIT

// The routes of the scenario `routes`.
#pragma once

#include <http/server/app.h>

// Adds 500 routes with two parameters each, /shop/kindN/{kind}/items/{item}, behind three middlewares. They respond
// with the text of /plaintext.
void add_routes(volt::http::App& app);
