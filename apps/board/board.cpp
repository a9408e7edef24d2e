// SPDX-License-Identifier: MIT

#include "apps/board/board.h"

#include <http/middleware/cache.h>
#include <http/middleware/client_address.h>
#include <http/middleware/rate_limit_store.h>
#include <http/middleware/security.h>
#include <http/openapi/openapi.h>
#include <sessions/redis_sessions.h>
#include <stores/redis_cache.h>
#include <stores/redis_rate_limits.h>
#include <topics/redis_topics.h>

#include <chrono>
#include <memory>
#include <string>

#include "apps/board/delivery.h"
#include "apps/board/members.h"
#include "apps/board/outages.h"
#include "apps/board/posts.h"
#include "apps/board/schema.h"
#include "apps/board/uploads.h"

namespace board {
namespace {

namespace http = volt::http;
namespace pg = volt::pg;
namespace redis = volt::redis;
namespace stores = volt::stores;
using namespace std::chrono_literals;
using http::EventStream;
using http::State;
using volt::Task;

// Subscribers who reconnect within this many posts, and within an hour, miss none.
constexpr http::TopicOptions kKept{.history_max = 2000, .retention = 1h};

// Each replica has a subscription of its own to Redis. A browser that loses its replica reconnects to another one, with
// the id of its last post.
Task<> live(EventStream& out, State<std::shared_ptr<News>> news) {
  auto posts = co_await (*news)->subscribe(kTopic, {.after = out.last_event_id()});
  co_await http::serve(out, posts);
}

std::string author_of(const http::Request& request) { return std::to_string(request.get<Member>().id); }

Access access_of(const redis::Pool& redis, const Options& options) {
  return Access({.keys = options.keys,
                 .cookie = options.secure ? "__Host-session" : "session",
                 .secure = options.secure,
                 .store = std::make_shared<volt::sessions::RedisSessions>(redis)});
}

void add_routes(http::App& app, const redis::Pool& redis, const Options& options) {
  const auto limits =
      std::make_shared<stores::RedisRateLimits>(redis, stores::RedisRateLimitOptions{.replicas = options.replicas});
  const auto pages = std::make_shared<http::ResponseCache>(
      http::ResponseCacheOptions{.store = std::make_shared<stores::RedisCache>(redis), .query = {{"before"}}});
  const Access access = access_of(redis, options);
  app.state(limits);
  app.state(pages);
  add_members(app, access, {.store = limits, .burst = options.login_burst});
  add_posts(app, access, pages,
            http::rate_limit({.per_second = 50, .burst = 100, .key = author_of}, {.name = "posts", .store = limits}));
  add_uploads(app, access);
  app.get("/live", live).summary("Posts as they are written, as server-sent events").operation_id("live");
}

}  // namespace

http::App make_app(pg::Pool db, redis::Pool redis, const Options& options) {
  const auto news = std::make_shared<News>(kKept, std::make_shared<volt::topics::RedisTopics>(redis));
  const Delivery delivery(db, news, options.job_timeout);
  http::App app;
  app.before_listen([db] { return migrate(db); });
  app.before_listen([delivery] { return delivery.queue().make_table(); });
  app.background([delivery] { return delivery.work(); });
  app.state(db);
  app.state(redis);
  app.state(news);
  app.state(pg::JobQueue(delivery.queue()));
  app.state(http::Passwords(options.passwords));
  add_readiness(app, db);
  answer_outages(app);
  app.use(http::trust_proxies(options.proxies));
  app.use(http::security_headers({.content_security_policy = "default-src 'self'; frame-ancestors 'none'"}));
  add_routes(app, redis, options);
  app.openapi("/openapi.json", {.title = "Board", .version = "1.0.0", .description = "Posts of members."});
  app.openapi_page("/");
  return app;
}

}  // namespace board
