// SPDX-License-Identifier: MIT

#include "apps/arena/items.h"

#include <http/http.h>
#include <pg/pg.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/arena/item_cache.h"

namespace arena {
namespace {

namespace http = volt::http;
namespace pg = volt::pg;
using http::Json;
using http::Path;
using http::Query;
using http::Response;
using http::State;
using volt::Task;

constexpr int kLimitMax = 50;

struct Rating {
  int score;
  int count;
};

// An item as responses contain it.
struct Item {
  int id;
  std::string name;
  std::string category;
  int price;
  int quantity;
  bool active;
  std::vector<std::string> tags;
  Rating rating;
};

struct Items {
  std::vector<Item> items;
  std::size_t count;
};

struct PageOfItems {
  std::vector<Item> items;
  std::int64_t total;
  int page;
  int limit;
};

// A row of the table, in the order of COLUMNS.
struct Row {
  int id;
  std::string name;
  std::string category;
  int price;
  int quantity;
  bool active;
  std::string tags;  // as JSON
  int rating_score;
  int rating_count;
};

#define COLUMNS "id, name, category, price, quantity, active, tags, rating_score, rating_count"
constexpr const char* kInRange = "select " COLUMNS " from items where price between $1 and $2 limit $3";
constexpr const char* kOfCategory = "select " COLUMNS " from items where category = $1 order by id limit $2 offset $3";
constexpr const char* kCount = "select count(*) from items where category = $1";
constexpr const char* kOne = "select " COLUMNS " from items where id = $1";
constexpr const char* kPut =
    "insert into items (" COLUMNS
    ") values ($1, $2, $3, $4, $5, true, '[\"new\"]', 0, 0) on conflict (id) do update set name = excluded.name, "
    "category = excluded.category, price = excluded.price, quantity = excluded.quantity returning " COLUMNS;
constexpr const char* kChange =
    "update items set name = $2, category = $3, price = $4, quantity = $5 where id = $1 returning " COLUMNS;
#undef COLUMNS

struct Range {
  int min = 10;
  int max = 50;
  int limit = 50;
};

struct Listing {
  std::string category = "electronics";
  int page = 1;
  int limit = 10;
};

struct NewItem {
  int id;
  std::string name;
  std::string category;
  int price;
  int quantity;
};

struct Change {
  std::string name;
  std::string category;
  int price;
  int quantity;
};

Item item_of(Row row) {
  auto tags = http::from_json<std::vector<std::string>>(row.tags);
  return {row.id,       std::move(row.name), std::move(row.category), row.price,
          row.quantity, row.active,          std::move(tags).value(), {row.rating_score, row.rating_count}};
}

std::vector<Item> items_of(const pg::Rows& rows) {
  std::vector<Item> items;
  items.reserve(rows.size());
  for (std::size_t i = 0; i != rows.size(); ++i) items.push_back(item_of(rows.to<Row>(i)));
  return items;
}

Task<Items> in_range(Query<Range> range, State<pg::Pool> db) {
  const int limit = std::clamp(range->limit, 1, kLimitMax);
  const pg::Rows rows = co_await db->rows(kInRange, range->min, range->max, limit);
  co_return Items{items_of(rows), rows.size()};
}

Task<PageOfItems> list(Query<Listing> listing, State<pg::Pool> db) {
  const int page = std::max(listing->page, 1);
  const int limit = std::clamp(listing->limit, 1, kLimitMax);
  pg::Batch batch;
  batch.add(kOfCategory, listing->category, limit, std::int64_t{page - 1} * limit);
  batch.add(kCount, listing->category);
  const std::vector<pg::Rows> results = co_await db->send(std::move(batch));
  co_return PageOfItems{items_of(results[0]), results[1].to<std::int64_t>(0), page, limit};
}

Task<Response> show(Path<int> id, State<pg::Pool> db, State<ItemCache> cache) {
  if (std::optional<std::string> kept = cache->find(*id)) {
    co_return Response::json(std::move(*kept)).header("X-Cache", "HIT");
  }
  std::optional<Row> row = co_await db->find<Row>(kOne, *id);
  if (!row) throw http::not_found("no such item");
  std::string json = http::to_json(item_of(std::move(*row)));
  cache->keep(*id, json);
  co_return Response::json(std::move(json)).header("X-Cache", "MISS");
}

Task<Response> put(Json<NewItem> item, State<pg::Pool> db, State<ItemCache> cache) {
  std::optional<Row> row =
      co_await db->find<Row>(kPut, item->id, item->name, item->category, item->price, item->quantity);
  cache->forget(item->id);
  co_return Response::json(http::to_json(item_of(std::move(row).value())), http::Status::created);
}

Task<std::optional<Item>> change(Path<int> id, Json<Change> to, State<pg::Pool> db, State<ItemCache> cache) {
  std::optional<Row> row = co_await db->find<Row>(kChange, *id, to->name, to->category, to->price, to->quantity);
  cache->forget(*id);
  if (!row) co_return std::nullopt;
  co_return item_of(std::move(*row));
}

}  // namespace

void add_items(http::App& app, pg::Pool db) {
  app.state(std::move(db));
  app.state<ItemCache>();
  app.get("/async-db", in_range);
  app.get("/crud/items", list);
  app.get("/crud/items/{id}", show);
  app.post("/crud/items", put);
  app.put("/crud/items/{id}", change);
  app.on_error([](const pg::Unavailable&) { return http::unavailable("the database is unavailable"); });
}

}  // namespace arena
