// SPDX-License-Identifier: MIT

#include "apps/crud/service.h"

#include <crypto/constant_time_equal.h>
#include <http/http.h>
#include <http/middleware/auth.h>
#include <http/middleware/etag.h>
#include <http/middleware/security.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "apps/crud/cursor.h"
#include "apps/crud/page.h"
#include "apps/crud/responses.h"

namespace crud {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using http::From;
using http::Json;
using namespace volt::literals;
using http::Path;
using http::Query;
using http::State;
using http::Status;

using Items = std::unique_ptr<Store>;
using IfMatch = http::Header<"if-match", std::optional<VersionCondition>>;

constexpr int kLimitMax = 100;
constexpr const char* kPagePolicy = "default-src 'self'; img-src data:; frame-ancestors 'none'";

struct Page {
  int limit = 20;  // a default value makes a parameter optional
  Sort sort = Sort::id;
  Order order = Order::asc;
  std::optional<std::string> name;
  std::optional<int> price_max;
  std::optional<Cursor> after;
};

[[noreturn]] void refuse(Refusal refusal) {
  switch (refusal) {
    case Refusal::missing:
      throw http::not_found("no such item");
    case Refusal::stale:
      throw http::Problem(Status::precondition_failed, "the item has been changed: read it again");
    case Refusal::name_taken:
      throw http::conflict("another item has that name").invalid("/name", "is taken");
  }
  std::unreachable();
}

std::optional<std::int64_t> wanted_version(const IfMatch& if_match) {
  if (!*if_match)
    throw http::Problem(Status::precondition_required, "If-Match must name the version that you have read");
  return (**if_match).version;
}

Task<ItemPage> list(Query<Page> page, State<Items> items) {
  const int limit = std::clamp(page->limit, 1, kLimitMax);
  Selection selection{.sort = page->sort,
                      .order = page->order,
                      .after = {},
                      .name = page->name.value_or(""),
                      .limit = limit + 1};  // one more shows whether there is another page
  if (page->price_max) selection.price_max = *page->price_max;
  if (page->after) selection.after = page->after->last;
  ItemPage listed;
  listed.items = co_await (*items)->select(std::move(selection));
  if (std::cmp_greater(listed.items.size(), limit)) {
    listed.items.pop_back();
    listed.next = to_text(Cursor{listed.items.back()});
  }
  co_return listed;
}

Task<CreatedItem> add(Json<NewItem> in, State<Items> items) {  // 201, with Location
  auto made = co_await (*items)->insert(*std::move(in));
  if (!made) refuse(made.error());
  co_return CreatedItem{*std::move(made)};
}

Task<std::optional<ItemWithEtag>> show(Path<std::int64_t> id, State<Items> items) {  // 404 if empty
  auto item = co_await (*items)->find(*id);
  if (!item) co_return std::nullopt;
  co_return ItemWithEtag{*std::move(item)};
}

Task<ItemWithEtag> replace(Path<std::int64_t> id, IfMatch if_match, Json<NewItem> in, State<Items> items) {
  const auto version = wanted_version(if_match);
  auto changed = co_await (*items)->replace(*id, version, *std::move(in));
  if (!changed) refuse(changed.error());
  co_return ItemWithEtag{*std::move(changed)};
}

Task<> erase(Path<std::int64_t> id, IfMatch if_match, State<Items> items) {  // 204
  const auto version = wanted_version(if_match);
  const auto erased = co_await (*items)->erase(*id, version);
  if (!erased) refuse(erased.error());
}

User me(From<User> user) { return *user; }  // the value that the middleware provides

void add_items(http::Group api) {
  const auto lost_updates = [](http::Route route) {
    route.responses(Status::precondition_failed, "The item has another version than If-Match says");
    route.responses(Status::precondition_required, "If-Match is missing");
    return route.responses(Status::not_found, "There is no such item");
  };
  api.tag("items");
  api.get("/items", list).summary("Items, page by page").operation_id("list_items");
  api.post("/items", add)
      .summary("Adds an item")
      .operation_id("add_item")
      .responses(Status::conflict, "Another item has that name");
  api.get("/items/{id}", show).summary("One item").operation_id("show_item");
  lost_updates(api.put("/items/{id}", replace))
      .summary("Changes an item")
      .operation_id("replace_item")
      .responses(Status::conflict, "Another item has that name");
  lost_updates(api.del("/items/{id}", erase)).summary("Deletes an item").operation_id("erase_item");
  api.get("/me", me).summary("The user of the token").operation_id("me").tag("users");
}

}  // namespace

http::App make_app(std::unique_ptr<Store> store, Access access) {
  http::App app;
  app.before_listen([store = store.get()] { return store->make_table(); });  // the app owns the store
  app.ready_when("database", [store = store.get()]() -> Task<bool> {
    co_await store->find(0);  // throws if the database cannot be used
    co_return true;
  });
  app.state(std::move(store));
  app.use(http::security_headers({.content_security_policy = kPagePolicy}));
  auto api = app.group("/api/v1");
  api.use(http::timeout(2s), http::body_limit(64_KiB), http::etag());
  api.use(http::bearer_auth([access = std::move(access)](std::string_view token) {
    return volt::crypto::equal_passwords(token, access.token) ? std::optional(access.user) : std::nullopt;
  }));
  add_items(api);
  add_page(app);
  app.openapi("/openapi.json", {.title = "Items", .version = "1.0.0", .description = "A small shop's list of items."});
  app.openapi_page("/docs");
  app.on_error([](const StoreUnavailable&) { return http::unavailable().retry_after(1s); });
  return app;
}

}  // namespace crud
