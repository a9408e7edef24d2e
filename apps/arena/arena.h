// HttpArena's profiles for HTTP/1.1, as its verifier wants them.
#pragma once

#include <http/server/app.h>
#include <pg/options.h>

#include <string>

namespace arena {

struct Options {
  std::string dataset = "/data/dataset.json";  // ARENA_DATASET; the JSON profiles need it
  std::string files = "/data/static";          // ARENA_STATIC; so does the one of files
  volt::pg::PoolOptions database = {};         // DATABASE_URL, DATABASE_MAX_CONN; so do async-db and crud
};

// Profiles whose files or database are not there are left out.
[[nodiscard]] volt::http::App make_app(const Options& options);

}  // namespace arena
