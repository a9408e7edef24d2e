// SPDX-License-Identifier: MIT

#include "apps/techempower/benchmarks.h"

#include <http/http.h>
#include <pg/pg.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/techempower/cache.h"
#include "apps/techempower/count.h"
#include "apps/techempower/fortunes.h"
#include "apps/techempower/random.h"

namespace techempower {
namespace {

namespace http = volt::http;
namespace pg = volt::pg;
using namespace std::chrono_literals;
using http::Query;
using http::Response;
using http::State;
using volt::Task;

struct Message {
  std::string message;
};

struct World {
  int id;
  int randomNumber;  // spelled as the rules require
};
using Worlds = std::vector<World>;

struct Queries {
  std::optional<std::string> queries;
};
struct Count {
  std::optional<std::string> count;
};

constexpr std::size_t kCachedMax = 10'000;
struct CachedWorlds {
  using Shareable = void;  // handlers may modify it: it does its own locking
  Cache<int, World> worlds{kCachedMax};
};

constexpr std::string_view kSelectWorld = "select id, randomnumber from world where id = $1";

// Reads each row with a separate query, as the rules require: each query has its own transaction and Sync message. The
// queries are sent together.
Task<Worlds> select_worlds(const pg::Pool& db, const std::vector<int>& ids) {
  pg::Batch batch;
  batch.reserve(ids.size());
  for (const int id : ids) batch.add(kSelectWorld, id);
  const std::vector<pg::Rows> rows = co_await db.send(std::move(batch));
  Worlds worlds;
  worlds.reserve(rows.size());
  for (const pg::Rows& row : rows) worlds.push_back(row.first<World>().value());
  co_return worlds;
}

Task<World> one(State<pg::Pool> db) {
  const auto world = co_await db->find<World>(kSelectWorld, Random().number());
  co_return world.value();
}

Task<Worlds> several(Query<Queries> asked, State<pg::Pool> db) {
  const std::vector<int> ids = Random().ids(clamped_count(asked->queries));
  co_return co_await select_worlds(*db, ids);
}

Task<Response> fortunes(State<pg::Pool> db) {
  std::vector<Fortune> all = co_await db->query<Fortune>("select id, message from fortune");
  co_return Response::html(fortunes_page(std::move(all)));
}

// One statement updates all rows in the order of their ids. Concurrent updates then lock rows in one order, so they
// cannot deadlock.
Task<Worlds> update(Query<Queries> asked, State<pg::Pool> db) {
  Random random;
  std::vector<int> ids = random.ids(clamped_count(asked->queries));
  std::ranges::sort(ids);
  Worlds worlds = co_await select_worlds(*db, ids);
  std::vector<int> numbers;
  numbers.reserve(worlds.size());
  for (World& world : worlds) numbers.push_back(world.randomNumber = random.number());
  co_await db->execute(
      "update world set randomnumber = new.number from unnest($1, $2) as new (id, number) where world.id = new.id", ids,
      numbers);
  co_return worlds;
}

Task<Worlds> cached(Query<Count> asked, State<pg::Pool> db, State<CachedWorlds> cache) {
  const std::vector<int> ids = Random().ids(clamped_count(asked->count));
  Worlds worlds;
  worlds.reserve(ids.size());
  std::vector<int> missing;
  for (const int id : ids) {
    if (const auto known = cache->worlds.find(id)) {
      worlds.push_back(*known);
    } else {
      missing.push_back(id);
    }
  }
  if (missing.empty()) co_return worlds;
  const Worlds read = co_await select_worlds(*db, missing);
  for (const World& world : read) {
    cache->worlds.put(world.id, world);
    worlds.push_back(world);
  }
  co_return worlds;
}

Task<Response> name_the_server(http::Request& request, http::Next next) {
  Response response = co_await next(request);
  response.header("server", "volt");
  co_return response;
}

}  // namespace

http::App make_app(pg::Pool db) {
  http::App app;
  app.state(std::move(db));
  app.state<CachedWorlds>();
  app.use(name_the_server);
  app.get("/plaintext", [] { return Response::fixed("Hello, World!", "text/plain"); });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.get("/db", one);
  app.get("/queries", several);
  app.get("/fortunes", fortunes);
  app.get("/updates", update);
  app.get("/cached-queries", cached);
  app.on_error([](const pg::Unavailable&) { return http::unavailable("the database is unavailable").retry_after(1s); });
  app.on_error(
      [](const pg::ConnectionLost&) { return http::unavailable("the database connection was lost").retry_after(1s); });
  return app;
}

}  // namespace techempower
