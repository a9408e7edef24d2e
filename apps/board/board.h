// SPDX-License-Identifier: MIT

// The app: a board of posts, made for several replicas behind a balancer. All state is in PostgreSQL and Redis.
#pragma once

#include <http/http.h>
#include <http/middleware/passwords.h>
#include <http/middleware/session.h>
#include <pg/pg.h>
#include <redis/redis.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace board {

struct Options {
  volt::http::CookieKeys keys;  // the keys of all replicas
  volt::http::PasswordOptions passwords = {};
  bool secure = true;                     // false only for plain HTTP in development: cookies are then sent without TLS
  std::vector<std::string> proxies = {};  // addresses of the balancers, whose X-Forwarded-For is trusted
  std::uint32_t replicas = 1;             // they share each limit while Redis is away
  std::uint32_t login_burst = 10;         // logins and sign-ups at once, of each client address; then one a second
  std::chrono::milliseconds job_timeout = std::chrono::seconds(5);  // apps/board/delivery.h
};

[[nodiscard]] volt::http::App make_app(volt::pg::Pool db, volt::redis::Pool redis, const Options& options);

}  // namespace board
