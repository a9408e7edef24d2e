// SPDX-License-Identifier: MIT

// crud: items in PostgreSQL (DATABASE_URL) or else in SQLite (the file CRUD_DB). Clients send the token CRUD_TOKEN.
#include <config/program.h>
#include <http/middleware/compress.h>
#include <http/middleware/observe.h>

#include <cstddef>
#include <memory>
#include <string>

#include "apps/crud/postgres_store.h"
#include "apps/crud/service.h"
#include "apps/crud/sqlite_store.h"

namespace {

struct Options {
  std::string db = ":memory:";
  volt::Secret token = {"t"};
  volt::Secret database;
  volt::Ranged<std::size_t, 1, 10'000> database_connections_max = 10u;

  static constexpr volt::Described descriptions[] = {
      {"db", "File of the SQLite database; \":memory:\": none"},
      {"token", "Token that clients must send"},
      {"database", "Connection string of PostgreSQL, which is then used instead of SQLite", "DATABASE_URL"},
      {"database_connections_max", "Maximum number of connections to PostgreSQL", "DATABASE_MAX_CONN"},
  };
};

std::unique_ptr<crud::Store> open_store(const Options& options) {
  if (options.database.empty()) return crud::open_sqlite(options.db);
  return crud::open_postgres({.url = options.database.reveal(), .connections_max = options.database_connections_max});
}

volt::http::App make_app(const Options& options) {
  volt::http::App app = crud::make_app(open_store(options), {.token = options.token.reveal()});
  app.use(volt::http::request_id(), volt::http::access_log(), volt::http::compress());
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  volt::Program program({.name = "crud", .description = "A REST API for items in SQLite or PostgreSQL."});
  const auto options = program.settings<Options>("crud");
  return program.run([&] { return make_app(*options); }, argc, argv);
}
