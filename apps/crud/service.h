// SPDX-License-Identifier: MIT

// The service: items below /api/v1 for clients with the token, a web page that uses it, and its OpenAPI document.
#pragma once

#include <http/openapi/openapi.h>
#include <http/server/app.h>

#include <memory>
#include <string>

#include "apps/crud/store.h"

namespace crud {

struct User {
  std::string name;
};

struct Access {
  std::string token = "t";
  User user = {"demo"};
};

volt::http::App make_app(std::unique_ptr<Store> store, Access access = {});

}  // namespace crud
