// The service: items, for those who know the token.
#pragma once

#include <http/app.h>

#include <string>

#include "apps/crud/db.h"

namespace crud {

struct User {
  std::string name;
};

struct Access {
  std::string token = "t";
  User user = {"demo"};
};

volt::http::App make_app(Db db, Access access = {});

}  // namespace crud
