// SPDX-License-Identifier: MIT

// board: a board of posts for several replicas, over PostgreSQL (DATABASE_URL) and Redis or Valkey (REDIS_URL).
#include <config/program.h>
#include <http/middleware/compress.h>
#include <http/middleware/observe.h>
#include <pg/pg.h>
#include <redis/redis.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/board/board.h"

namespace {

namespace http = volt::http;
using namespace std::chrono_literals;

struct Settings {
  volt::Secret database;
  volt::Ranged<std::size_t, 1, 10'000> database_connections_max = 10u;
  volt::Secret redis = {"redis://localhost"};
  volt::Secret cookie_secret;
  bool plain_http = false;
  std::vector<std::string> proxies = {};
  volt::Ranged<std::uint32_t, 1, 1000> replicas = 1u;
  volt::Ranged<std::uint32_t, 1, 100'000> login_burst = 10u;
  std::chrono::milliseconds job_timeout = 5s;

  static constexpr volt::Described descriptions[] = {
      {"database", "Connection string of PostgreSQL", "DATABASE_URL"},
      {"database_connections_max", "Maximum number of connections to PostgreSQL", "DATABASE_MAX_CONN"},
      {"redis", "URL of Redis or Valkey", "REDIS_URL"},
      {"cookie_secret", "Secret of at least 32 bytes that signs cookies; the same for all replicas"},
      {"plain_http", "Permits cookies without TLS; for development only"},
      {"proxies", "Addresses of the balancers, whose X-Forwarded-For is trusted"},
      {"replicas", "Number of replicas, which share the rate limits while Redis is away"},
      {"login_burst", "Logins and sign-ups at once, of each client address; then one a second"},
      {"job_timeout", "Time limit of a delivery; after twice this time, that of a replica that has ended is repeated"},
  };

  std::optional<volt::Invalid> check() const {
    if (cookie_secret.reveal().size() >= 32) return std::nullopt;
    return volt::Invalid("cookie_secret", "must have at least 32 bytes");
  }
};

// A pool that waits for at most a second between two attempts is back soon after a restart of the server.
volt::pg::Pool open_postgres(const Settings& settings) {
  return volt::pg::Pool(
      {.url = settings.database.reveal(), .connections_max = settings.database_connections_max, .backoff_max = 1s});
}

http::App make_app(const Settings& settings) {
  http::App app = board::make_app(open_postgres(settings), volt::redis::Pool({.url = settings.redis.reveal()}),
                                  {.keys = http::CookieKeys({settings.cookie_secret.reveal()}),
                                   .secure = !settings.plain_http,
                                   .proxies = settings.proxies,
                                   .replicas = settings.replicas,
                                   .login_burst = settings.login_burst,
                                   .job_timeout = settings.job_timeout});
  app.use(http::request_id(), http::access_log(), http::compress());
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  volt::Program program({.name = "board", .description = "A board of posts for several replicas."});
  const auto settings = program.settings<Settings>("board");
  return program.run([&] { return make_app(*settings); }, argc, argv);
}
