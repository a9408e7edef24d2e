// SPDX-License-Identifier: MIT

// The service: HttpArena's profiles for HTTP/1.1, by the rules of its verifier.
#pragma once

#include <http/server/app.h>
#include <pg/options.h>

#include <string>

namespace arena {

struct Options {
  std::string dataset = "/data/dataset.json";  // the file of the JSON profiles
  std::string files = "/data/static";          // the folder of the static profile
  volt::pg::PoolOptions database = {};         // for async-db and crud; no URL: none
};

// Returns the app, without the profiles whose files are missing or for which no database is configured.
[[nodiscard]] volt::http::App make_app(const Options& options);

}  // namespace arena
