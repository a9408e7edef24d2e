// SPDX-License-Identifier: MIT

// volt::run brings TLS, JSON and compression, the pools libpq, SQLite and hiredis: each library is linked.
#include <config/run.h>
#include <http/http.h>
#include <pg/pg.h>
#include <redis/redis.h>
#include <runtime/time.h>
#include <sessions/pg_sessions.h>
#include <sessions/redis_sessions.h>
#include <sessions/sqlite_sessions.h>
#include <sqlite/sqlite.h>
#include <stores/redis_rate_limits.h>
#include <topics/pg_topics.h>
#include <topics/redis_topics.h>

#include <chrono>
#include <memory>
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
  const volt::pg::Pool db(volt::pg::options_from_environment());
  const volt::redis::Pool redis(volt::redis::options_from_environment());
  app.state(volt::pg::Pool(db));
  app.state(volt::redis::Pool(redis));
  app.state(std::make_shared<volt::sessions::PgSessions>(db));
  app.state(std::make_shared<volt::sessions::RedisSessions>(redis));
  app.state(std::make_shared<volt::stores::RedisRateLimits>(redis));
  app.state(std::make_shared<volt::topics::PgTopics>(db, volt::pg::options_from_environment()));
  app.state(std::make_shared<volt::topics::RedisTopics>(redis));
  const volt::sqlite::Pool file({.path = ":memory:"});
  app.state(volt::sqlite::Pool(file));
  app.state(std::make_shared<volt::sessions::SqliteSessions>(file));
  app.get("/{name}", greet);
  return volt::run(app, argc, argv);
}
