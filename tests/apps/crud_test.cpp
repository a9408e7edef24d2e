// SPDX-License-Identifier: MIT

#include "apps/crud/service.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/crud/postgres_store.h"
#include "apps/crud/sqlite_store.h"
#include "crypto/base64.h"
#include "http/testing/test_client.h"
#include "pg/pg.h"
#include "runtime/runtime.h"
#include "sqlite/sqlite.h"
#include "tests/apps/on_test_engine.h"
#include "tests/support/directory.h"

namespace crud {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using test::on_test_engine;

// Without items: in memory, or in the database that tests/support/private_postgres.py has started.
std::unique_ptr<Store> empty_store() {
  if (std::getenv("DATABASE_URL") == nullptr) return open_sqlite(":memory:");
  volt::pg::PoolOptions options = volt::pg::options_from_environment();
  options.connect_timeout = options.acquire_timeout = 60s;  // a machine under load
  volt::Runtime runtime(volt::test_options());
  runtime.block_on([&]() -> Task<> {
    const volt::pg::Pool pool(options);
    co_await pool.execute("drop table if exists items");
  });
  return open_postgres(options);
}

http::App app_without_items(Access access = {}) { return make_app(empty_store(), std::move(access)); }

// A client that knows the token, of a service with these items.
class Shop {
 public:
  explicit Shop(const std::vector<NewItem>& items = {}) : client_(app_without_items(), on_test_engine()) {
    for (const NewItem& item : items) REQUIRE(add(item).status() == 201);
  }

  http::TestResponse get(std::string_view path) { return client_.get(path).bearer("t").send(); }
  http::TestResponse add(const NewItem& item) { return client_.post("/api/v1/items").bearer("t").json(item).send(); }
  http::TestResponse add_text(std::string body) {
    return client_.post("/api/v1/items").bearer("t").body(std::move(body), "application/json").send();
  }
  http::TestResponse replace(std::string_view path, const NewItem& item, std::string_view tag) {
    auto request = client_.put(path).bearer("t").json(item);
    if (!tag.empty()) request.header("If-Match", tag);
    return request.send();
  }
  http::TestResponse erase(std::string_view path, std::string_view tag) {
    auto request = client_.del(path).bearer("t");
    if (!tag.empty()) request.header("If-Match", tag);
    return request.send();
  }
  http::TestClient& client() { return client_; }

 private:
  http::TestClient client_;
};

std::vector<std::int64_t> ids(const http::TestResponse& answer) {
  REQUIRE(answer.status() == 200);
  std::vector<std::int64_t> found;
  for (const Item& item : answer.json<std::vector<Item>>()) found.push_back(item.id);
  return found;
}

// Where the next page is; empty if there is none.
std::string next_of(const http::TestResponse& answer) {
  const std::string link(answer.header("Link").value_or(""));
  if (link.empty()) return link;
  REQUIRE(link.starts_with("<"));
  REQUIRE(link.ends_with(">; rel=\"next\""));
  return link.substr(1, link.find('>') - 1);
}

}  // namespace

TEST_SUITE_BEGIN("apps/crud");

TEST_CASE("an item is added, read, changed and deleted") {
  Shop shop;
  const auto made = shop.add({"pen", 300});
  REQUIRE(made.status() == 201);
  CHECK(made.header("Location") == "/api/v1/items/1");
  CHECK(made.header("ETag") == "\"1\"");
  CHECK(made.body() == R"({"id":1,"name":"pen","price":300,"version":1})");

  const auto changed = shop.replace("/api/v1/items/1", {"pencil", 200}, "\"1\"");
  CHECK(changed.status() == 200);
  CHECK(changed.header("ETag") == "\"2\"");
  const auto read = shop.get("/api/v1/items/1");
  CHECK(read.header("ETag") == "\"2\"");
  CHECK(read.body() == R"({"id":1,"name":"pencil","price":200,"version":2})");

  CHECK(shop.erase("/api/v1/items/1", "\"2\"").status() == 204);
  CHECK(shop.get("/api/v1/items/1").status() == 404);
}

TEST_CASE("an update of an old version is refused, so that no update is lost") {
  const struct {
    std::string why, path, tag;
    int status;
  } cases[] = {
      {"an old version", "/api/v1/items/1", "\"1\"", 412},
      {"one that never was", "/api/v1/items/1", "\"7\"", 412},
      {"a tag that the server did not make", "/api/v1/items/1", "\"abc\"", 412},
      {"a number that is none", "/api/v1/items/1", "\"0\"", 412},
      {"a weak tag matches nothing", "/api/v1/items/1", "W/\"2\"", 412},
      {"nothing was read", "/api/v1/items/1", "", 428},
      {"there is none", "/api/v1/items/9", "\"1\"", 404},
      {"there is none of any version", "/api/v1/items/9", "*", 404},
      {"whatever there is", "/api/v1/items/1", "*", 200},
      {"the one that is there", "/api/v1/items/1", "\"2\"", 200},
  };
  for (const auto& one : cases) {
    CAPTURE(one.why);
    Shop shop({{"pen", 300}});
    REQUIRE(shop.replace("/api/v1/items/1", {"pen", 301}, "\"1\"").status() == 200);
    CHECK(shop.replace(one.path, {"pen", 302}, one.tag).status() == one.status);
    const std::string tag = one.status == 200 ? "\"3\"" : one.tag;
    CHECK(shop.erase(one.path, tag).status() == (one.status == 200 ? 204 : one.status));
  }
}

TEST_CASE("a client that has an item already is told so") {
  Shop shop({{"pen", 300}});
  auto request = shop.client().get("/api/v1/items/1").bearer("t").header("If-None-Match", "\"1\"");
  CHECK(request.send().status() == 304);
  REQUIRE(shop.replace("/api/v1/items/1", {"pen", 301}, "\"1\"").status() == 200);
  CHECK(request.send().status() == 200);
}

TEST_CASE("no two items have one name") {
  Shop shop({{"pen", 300}, {"ink", 500}});
  const auto second = shop.add({"pen", 1});
  CHECK(second.status() == 409);
  CHECK(second.body().find(R"("errors":[{"field":"/name","detail":"is taken"}])") != std::string::npos);
  CHECK(shop.replace("/api/v1/items/2", {"pen", 500}, "\"1\"").status() == 409);
  CHECK(shop.replace("/api/v1/items/1", {"pen", 301}, "\"1\"").status() == 200);
}

TEST_CASE("a list is read page by page") {
  std::vector<NewItem> items;
  for (int i = 1; i <= 25; ++i) items.push_back({.name = std::to_string(i), .price = 1000 - i});
  Shop shop(items);
  const auto first = shop.get("/api/v1/items");
  CHECK(ids(first).size() == 20);
  const auto second = shop.get(next_of(first));
  CHECK(ids(second) == std::vector<std::int64_t>{21, 22, 23, 24, 25});
  CHECK(next_of(second).empty());

  CHECK(next_of(shop.get("/api/v1/items?limit=25")).empty());
  CHECK(ids(shop.get("/api/v1/items?limit=1000000")).size() == 25);
  CHECK(ids(shop.get("/api/v1/items?limit=-1")).size() == 1);
}

TEST_CASE("a list in any order, filtered, loses nothing between its pages") {
  Shop shop({{"Blue pen", 300}, {"ink", 500}, {"red PEN", 300}, {"pencil", 100}, {"paper", 300}, {"open end", 900}});
  const struct {
    std::string why, query;
    std::vector<std::int64_t> want;
  } cases[] = {
      {"as they came", "", {1, 2, 3, 4, 5, 6}},
      {"the other way round", "order=desc", {6, 5, 4, 3, 2, 1}},
      {"by name, byte by byte", "sort=name", {1, 2, 6, 5, 4, 3}},
      {"by price, and then as they came", "sort=price", {4, 1, 3, 5, 2, 6}},
      {"dear ones first", "sort=price&order=desc", {6, 2, 5, 3, 1, 4}},
      {"whose name holds a text", "name=pen", {1, 3, 4, 6}},
      {"with a space", "name=n%20e", {6}},
      {"not a pattern", "name=%25", {}},
      {"up to a price", "price_max=300&sort=name", {1, 5, 4, 3}},
      {"both", "name=pen&price_max=300&order=desc", {4, 3, 1}},
  };
  for (const auto& one : cases) {
    CAPTURE(one.why);
    for (const int limit : {1, 2, 100}) {
      std::vector<std::int64_t> found;
      std::string path = "/api/v1/items?limit=" + std::to_string(limit) + "&" + one.query;
      while (!path.empty()) {
        const auto answer = shop.get(path);
        for (const std::int64_t id : ids(answer)) found.push_back(id);
        path = next_of(answer);
      }
      CHECK(found == one.want);
    }
  }
}

TEST_CASE("the next page is there although the last item of this one has gone") {
  Shop shop({{"a", 1}, {"b", 2}, {"c", 3}});
  const std::string next = next_of(shop.get("/api/v1/items?limit=2"));
  REQUIRE(shop.erase("/api/v1/items/2", "*").status() == 204);
  CHECK(ids(shop.get(next)) == std::vector<std::int64_t>{3});
}

TEST_CASE("a query that does not fit is refused, with the parameter's name") {
  Shop shop;
  for (const std::string field : {"limit", "sort", "order", "price_max", "after"}) {
    CAPTURE(field);
    const auto answer = shop.get("/api/v1/items?" + field + "=!");
    CHECK(answer.status() == 400);
    CHECK(answer.body().find("\"field\":\"" + field) != std::string::npos);
  }
}

TEST_CASE("a link to a next page that we have not made is refused") {
  Shop shop;
  for (const std::string_view json : {"{}", R"({"id":1,"name":"\u0000","price":1,"version":1})"}) {
    CAPTURE(json);
    const std::string after = volt::crypto::base64url_encode(std::as_bytes(std::span(json)));
    CHECK(shop.get("/api/v1/items?sort=name&after=" + after).status() == 400);
  }
}

TEST_CASE("names are data, whatever they say") {
  Shop shop;
  for (const std::string name : {"'); DROP TABLE items; --", "\"\\", "Füller", "<b>"}) {
    CAPTURE(name);
    const auto made = shop.add({name, 0});
    REQUIRE(made.status() == 201);
    CHECK(shop.get(*made.header("Location")).json<Item>().name == name);
  }
}

TEST_CASE("input that does not fit is refused, with each field's name") {
  const std::string long_name(101, 'x');
  const struct {
    std::string why, body;
    int status;
    std::string says;
  } cases[] = {
      {"no JSON", "{", 400, ""},
      {"a member is missing", R"({"name":"pen"})", 422, "price"},
      {"of another type", R"({"name":"pen","price":"three"})", 422, "price"},
      {"a name that is none", R"({"name":"  ","price":1})", 422, R"({"field":"/name","detail":"must not be empty"})"},
      {"a name of many", R"({"name":")" + long_name + R"(","price":1})", 422, "must have at most 100 characters"},
      {"a name of several lines", R"({"name":"a\nb","price":1})", 422, "must not contain control characters"},
      {"below any price", R"({"name":"pen","price":-1})", 422, "must be from 0 to 100000000"},
      {"beyond any", R"({"name":"pen","price":100000001})", 422, "must be from 0 to 100000000"},
      {"all that is wrong is told", R"({"name":"","price":-1})", 422, R"("},{"field":"/price",)"},
      {"too large", R"({"name":")" + std::string(64 * 1024, 'x') + R"(","price":1})", 413, ""},
  };
  Shop shop({{"pen", 300}});
  for (const auto& one : cases) {
    CAPTURE(one.why);
    const auto answer = shop.add_text(one.body);
    CHECK(answer.status() == one.status);
    CHECK(answer.header("Content-Type") == "application/problem+json");
    CHECK(answer.body().find(one.says) != std::string::npos);
  }
  CHECK(shop.replace("/api/v1/items/1", NewItem{}, "\"1\"").status() == 422);
  CHECK(ids(shop.get("/api/v1/items")) == std::vector<std::int64_t>{1});
}

TEST_CASE("only those who know the token are let in, and handlers know who they are") {
  http::TestClient client(app_without_items({.token = "secret", .user = {"ann"}}), on_test_engine());
  CHECK(client.get("/api/v1/items").send().status() == 401);
  const auto refused = client.get("/api/v1/items").bearer("t").send();
  CHECK(refused.status() == 401);
  CHECK(refused.header("WWW-Authenticate").has_value());
  CHECK(client.get("/api/v1/me").bearer("secret").send().body() == R"({"name":"ann"})");
}

TEST_CASE("the page and its parts are for everybody, and load nothing of others") {
  http::TestClient client(app_without_items(), on_test_engine());
  const auto page = client.get("/").send();
  CHECK(page.header("Content-Type") == "text/html; charset=utf-8");
  CHECK(page.header("Content-Security-Policy")->starts_with("default-src 'self';"));
  for (const std::string part : {"style.css", "script.js", "openapi.json"}) {
    CAPTURE(part);
    CHECK(page.body().find("\"" + part + "\"") != std::string::npos);
    CHECK(client.get("/" + part).send().status() == 200);
  }
}

TEST_CASE("a database that is locked is unavailable for a while, and one that lacks the table is broken") {
  const volt::test::Directory folder;
  const std::string path = (folder.path() / "items.db").string();
  http::TestClient client(make_app(open_sqlite(path)), on_test_engine());
  const volt::sqlite::Pool other({.path = path});
  volt::Runtime runtime(volt::test_options());
  volt::sqlite::Transaction held = runtime.block_on([&] { return other.transaction(); });
  const auto refused = client.post("/api/v1/items").bearer("t").json(NewItem{.name = "pen", .price = 1}).send();
  CHECK(refused.status() == 503);
  CHECK(refused.header("Retry-After") == "1");
  runtime.block_on([&]() -> Task<> {
    co_await held.execute("drop table items");
    co_await held.commit();
  });
  CHECK(client.get("/api/v1/items").bearer("t").send().status() == 500);
}

TEST_CASE("a PostgreSQL that lacks the table is broken, and one that cannot be reached is unavailable") {
  if (std::getenv("DATABASE_URL") == nullptr) return;
  http::TestClient client(app_without_items(), on_test_engine());
  CHECK(client.get("/api/v1/items").bearer("t").send().status() == 200);  // makes the table
  volt::Runtime runtime(volt::test_options());
  runtime.block_on([]() -> Task<> {
    const volt::pg::Pool pool(volt::pg::options_from_environment());
    co_await pool.execute("drop table items");
  });
  CHECK(client.get("/api/v1/items").bearer("t").send().status() == 500);
  http::TestClient cut_off(make_app(open_postgres({.url = "host=127.0.0.1 port=1"})), on_test_engine());
  const auto refused = cut_off.get("/api/v1/items").bearer("t").send();
  CHECK(refused.status() == 503);
  CHECK(refused.header("Retry-After") == "1");
}

TEST_CASE("a database that cannot be opened says so") {
  CHECK_THROWS_AS(open_sqlite("/nowhere/items.db"), StoreUnavailable);
}

TEST_SUITE_END();

}  // namespace crud
