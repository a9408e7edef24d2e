#include "apps/crud/items.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "http/test_client.h"
#include "tests/apps/on_test_engine.h"

namespace crud {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using test::on_test_engine;

std::vector<std::int64_t> ids(const http::TestAnswer& answer) {
  std::vector<std::int64_t> found;
  for (const Item& item : answer.json<std::vector<Item>>()) found.push_back(item.id);
  return found;
}

}  // namespace

TEST_SUITE_BEGIN("apps/crud");

TEST_CASE("create, read, miss") {
  http::TestClient client(make_app(Db::memory()), on_test_engine());
  auto made = client.post("/api/v1/items").bearer("t").json(NewItem{"pen", 3}).send();
  REQUIRE(made.status() == 201);
  CHECK(made.header("Location") == "/api/v1/items/1");
  CHECK(made.json<Item>().name == "pen");
  auto read = client.get(*made.header("Location")).bearer("t").send();
  CHECK(read.status() == 200);
  CHECK(read.json<Item>().price == 3);
  CHECK(client.get("/api/v1/items/999").bearer("t").send().status() == 404);
  client.clock().advance(3s);
}

TEST_CASE("a list is paged by the last id seen, and within bounds") {
  http::TestClient client(make_app(Db::memory()), on_test_engine());
  for (int i = 1; i <= 25; ++i) {
    const NewItem item{.name = std::to_string(i), .price = i};
    REQUIRE(client.post("/api/v1/items").bearer("t").json(item).send().status() == 201);
  }
  const auto list = [&](std::string_view query) {
    return ids(client.get("/api/v1/items" + std::string(query)).bearer("t").send());
  };
  CHECK(list("").size() == 20);
  CHECK(list("?limit=2") == std::vector<std::int64_t>{1, 2});
  CHECK(list("?limit=2&after=2") == std::vector<std::int64_t>{3, 4});
  CHECK(list("?after=24") == std::vector<std::int64_t>{25});
  CHECK(list("?after=25").empty());
  CHECK(list("?limit=1000000").size() == 25);
  CHECK(list("?limit=-1").size() == 1);
  CHECK(client.get("/api/v1/items?limit=many").bearer("t").send().status() == 400);
}

TEST_CASE("what is dropped is gone, and cannot be dropped again") {
  http::TestClient client(make_app(Db::memory()), on_test_engine());
  REQUIRE(client.post("/api/v1/items").bearer("t").json(NewItem{"pen", 3}).send().status() == 201);
  CHECK(client.del("/api/v1/items/1").bearer("t").send().status() == 204);
  CHECK(client.get("/api/v1/items/1").bearer("t").send().status() == 404);
  const auto again = client.del("/api/v1/items/1").bearer("t").send();
  CHECK(again.status() == 404);
  CHECK(again.body().find("no such item") != std::string::npos);
}

TEST_CASE("names are data, whatever they say") {
  http::TestClient client(make_app(Db::memory()), on_test_engine());
  for (const std::string name : {"'); DROP TABLE items; --", "", "\n\"\\", "Füller"}) {
    CAPTURE(name);
    const auto made = client.post("/api/v1/items").bearer("t").json(NewItem{name, 0}).send();
    REQUIRE(made.status() == 201);
    CHECK(client.get(*made.header("Location")).bearer("t").send().json<Item>().name == name);
  }
}

TEST_CASE("input that does not fit is refused, with the field's name") {
  struct Case {
    std::string why;
    std::string body;
    int status;
    std::string says;
  };
  const std::vector<Case> cases = {
      {"no JSON", "{", 400, ""},
      {"a member is missing", R"({"name":"pen"})", 422, "price"},
      {"of another type", R"({"name":"pen","price":"three"})", 422, "price"},
      {"against the service's rule", R"({"name":"pen","price":-1})", 422, "must not be negative"},
      {"too large", R"({"name":")" + std::string(64 * 1024, 'x') + R"(","price":1})", 413, ""},
  };
  http::TestClient client(make_app(Db::memory()), on_test_engine());
  for (const Case& one : cases) {
    CAPTURE(one.why);
    const auto answer = client.post("/api/v1/items").bearer("t").body(one.body, "application/json").send();
    CHECK(answer.status() == one.status);
    CHECK(answer.header("Content-Type") == "application/problem+json");
    CHECK(answer.body().find(one.says) != std::string::npos);
  }
  CHECK(ids(client.get("/api/v1/items").bearer("t").send()).empty());
}

TEST_CASE("only those who know the token are let in, and handlers know who they are") {
  http::TestClient client(make_app(Db::memory(), {.token = "secret", .user = {"ann"}}), on_test_engine());
  CHECK(client.get("/api/v1/items").send().status() == 401);
  const auto refused = client.get("/api/v1/items").bearer("t").send();
  CHECK(refused.status() == 401);
  CHECK(refused.header("WWW-Authenticate").has_value());
  const auto me = client.get("/api/v1/me").bearer("secret").send();
  CHECK(me.body() == R"({"name":"ann"})");
  CHECK(me.header("x-user") == "ann");
}

TEST_CASE("a database that cannot be opened says so") { CHECK_THROWS_AS(Db("/nowhere/items.db"), DbDown); }

TEST_SUITE_END();

}  // namespace crud
