// crud: items in a database. CRUD_DB is the file, CRUD_TOKEN what clients show.
#include <config/run.h>
#include <http/compress.h>
#include <http/observe.h>

#include <cstdlib>

#include "apps/crud/service.h"
#include "apps/crud/sqlite_store.h"

int main(int argc, char** argv) {
  const char* path = std::getenv("CRUD_DB");
  const char* token = std::getenv("CRUD_TOKEN");
  crud::Access access;
  if (token != nullptr) access.token = token;
  volt::http::App app = crud::make_app(crud::open_sqlite(path != nullptr ? path : ":memory:"), access);
  app.use(volt::http::request_id(), volt::http::access_log(), volt::http::compress());
  return volt::run(app, argc, argv);
}
