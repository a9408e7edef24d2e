// SPDX-License-Identifier: MIT

#include "loadtest/peers/volt/database.h"

#include <http/http.h>
#include <pg/options.h>
#include <pg/pg.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/atomic.h"

namespace {

namespace base = volt::base;
namespace pg = volt::pg;
using volt::Task;
using volt::http::Query;
using volt::http::State;

constexpr std::uint64_t kRowCount = 10'000;
constexpr std::string_view kSelectWorld = "select id, randomnumber from world where id = $1";

struct World {
  int id;
  int randomNumber;  // spelled as TechEmpower requires
};
using Worlds = std::vector<World>;

struct Queries {
  int queries;
};

// SplitMix64 over a shared counter: each caller draws the next number.
class Random {
 public:
  using Shareable = void;  // handlers may modify it from any thread

  [[nodiscard]] int id() noexcept {
    std::uint64_t bits = drawn_.fetch_add(0x9e3779b97f4a7c15, base::relaxed);  // relaxed: the number publishes nothing
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    return static_cast<int>(((bits >> 32) * kRowCount) >> 32) + 1;
  }

 private:
  base::Atomic<std::uint64_t> drawn_{0};
};

Task<World> one(State<pg::Pool> db, State<Random> random) {
  const auto world = co_await db->find<World>(kSelectWorld, random->id());
  co_return world.value();
}

// Reads each row by a query and a Sync of its own; the queries are sent together.
Task<Worlds> several(Query<Queries> asked, State<pg::Pool> db, State<Random> random) {
  pg::Batch batch;
  batch.reserve(static_cast<std::size_t>(asked->queries));
  for (int left = asked->queries; left > 0; --left) batch.add(kSelectWorld, random->id());
  const std::vector<pg::Rows> rows = co_await db->send(std::move(batch));
  Worlds worlds;
  worlds.reserve(rows.size());
  for (const pg::Rows& row : rows) worlds.push_back(row.first<World>().value());
  co_return worlds;
}

}  // namespace

void add_database(volt::http::App& app) {
  if (std::getenv("DATABASE_URL") == nullptr) return;
  app.state(pg::Pool(pg::options_from_environment()));
  app.state<Random>();
  app.get("/db", one);
  app.get("/queries", several);
}
