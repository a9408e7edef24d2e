// SPDX-License-Identifier: MIT

// crud: items in PostgreSQL (DATABASE_URL) or else in SQLite (the file CRUD_DB). Clients send the token CRUD_TOKEN.
#include <config/run.h>
#include <http/middleware/compress.h>
#include <http/middleware/observe.h>

#include <cstdlib>
#include <memory>

#include "apps/crud/postgres_store.h"
#include "apps/crud/service.h"
#include "apps/crud/sqlite_store.h"

namespace {

std::unique_ptr<crud::Store> open_store() {
  if (std::getenv("DATABASE_URL") != nullptr) return crud::open_postgres(volt::pg::options_from_environment());
  const char* path = std::getenv("CRUD_DB");
  return crud::open_sqlite(path != nullptr ? path : ":memory:");
}

volt::http::App make_app() {
  crud::Access access;
  if (const char* token = std::getenv("CRUD_TOKEN")) access.token = token;
  volt::http::App app = crud::make_app(open_store(), access);
  app.use(volt::http::request_id(), volt::http::access_log(), volt::http::compress());
  return app;
}

}  // namespace

int main(int argc, char** argv) { return volt::run(make_app, argc, argv); }
