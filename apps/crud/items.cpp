#include "apps/crud/items.h"

#include <crypto/equal.h>
#include <http/http.h>
#include <http/limits.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace crud {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using http::Created;
using http::From;
using http::Json;
using http::Path;
using http::Query;
using http::State;

struct Page {
  int limit = 20;  // a default value makes a parameter optional
  std::int64_t after = 0;
};

Task<std::vector<Item>> list(Query<Page> page, State<Db> db) {
  co_return co_await db->page(std::clamp(page->limit, 1, 100), page->after);
}

Task<Created<Item>> add(Json<NewItem> in, State<Db> db) {  // 201, and Location
  if (in->price < 0) throw http::unprocessable().invalid("/price", "must not be negative");
  co_return co_await db->insert(*in);
}

Task<std::optional<Item>> show(Path<std::int64_t> id, State<Db> db) {  // 404 if empty
  co_return co_await db->find(*id);
}

Task<> drop(Path<std::int64_t> id, State<Db> db) {  // 204
  const bool found = co_await db->erase(*id);
  if (!found) throw http::not_found("no such item");
}

User me(From<User> user) { return *user; }  // what the middleware has put

Task<http::Response> require_token(http::Request& request, http::Next next) {
  const auto token = request.bearer();
  const Access& access = request.state<Access>();
  if (!token || !volt::crypto::equal_passwords(*token, access.token)) throw http::unauthorized();
  request.put(access.user);
  http::Response response = co_await next(request);
  response.header("x-user", request.get<User>().name);
  co_return response;
}

}  // namespace

http::App make_app(Db db, Access access) {
  http::App app;
  app.state(std::move(db));
  app.state(std::move(access));
  auto api = app.group("/api/v1");
  api.use(http::timeout(2s), http::body_limit(64 * 1024), require_token);
  api.get("/items", list);
  api.post("/items", add);
  api.get("/items/{id}", show);
  api.del("/items/{id}", drop);
  api.get("/me", me);
  app.on_error([](const DbDown&) { return http::unavailable().retry_after(1s); });
  return app;
}

}  // namespace crud
