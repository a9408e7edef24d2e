// SPDX-License-Identifier: MIT

// volt::run brings TLS, JSON and compression, the pools libpq and hiredis: each library is linked.
#include <config/run.h>
#include <http/http.h>
#include <pg/pg.h>
#include <redis/redis.h>
#include <runtime/time.h>

#include <chrono>
#include <string>

struct Greeting {
  std::string text;
};

volt::Task<Greeting> greet(volt::http::Path<std::string> name) {
  co_await volt::sleep_for(std::chrono::milliseconds(1));
  co_return Greeting{"Hello, " + *name + "!"};
}

int main(int argc, char** argv) {
  volt::http::App app;
  app.use(volt::http::compress());
  app.state(volt::pg::Pool(volt::pg::options_from_environment()));
  app.state(volt::redis::Pool(volt::redis::options_from_environment()));
  app.get("/{name}", greet);
  return volt::run(app, argc, argv);
}
