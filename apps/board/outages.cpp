// SPDX-License-Identifier: MIT

#include "apps/board/outages.h"

#include <redis/redis.h>

#include <chrono>
#include <utility>

namespace board {
namespace {

namespace http = volt::http;
namespace pg = volt::pg;
namespace redis = volt::redis;
using namespace std::chrono_literals;

http::Problem try_later() { return http::unavailable("a database is away for a moment").retry_after(1s); }

template <class... Errors>
void answer(http::App& app) {
  (app.on_error([](const Errors&) { return try_later(); }), ...);
}

}  // namespace

void add_readiness(http::App& app, pg::Pool db) {
  app.ready_when("postgresql", [db]() -> volt::Task<bool> {
    static_cast<void>(co_await db.find<int>("select 1"));
    co_return true;
  });
}

// ConnectionLost and timeouts leave open whether the statement was executed: hence the idempotency keys.
void answer_outages(http::App& app) {
  answer<pg::Unavailable, pg::ConnectionLost, pg::QueryTimeout>(app);
  answer<redis::Unavailable, redis::ConnectionLost, redis::CommandTimeout>(app);
}

}  // namespace board
