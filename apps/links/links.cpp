// SPDX-License-Identifier: MIT

#include "apps/links/links.h"

#include <chrono>
#include <utility>

#include "apps/links/users.h"

namespace links {
namespace {

namespace http = volt::http;
namespace sqlite = volt::sqlite;
using namespace std::chrono_literals;
using http::From;
using http::Json;
using http::Path;
using http::State;

struct ChangedLink {
  std::int64_t owner;
  std::string name;
  std::string url;
  Safety safety;
  std::int64_t visits;
};

Task<std::optional<Link>> publish(const http::Topics<Link>& changes, std::optional<ChangedLink> changed) {
  if (!changed) co_return std::nullopt;
  Link link{changed->name, changed->url, changed->safety, changed->visits};
  std::string owner = std::to_string(changed->owner);
  co_await changes.publish(std::move(owner), link);
  co_return link;
}

Task<http::Created<Link>> post_link(Json<NewLink> in, From<User> user, State<Links> links) {
  const bool added = co_await links->add(user->id, *in);
  if (!added) throw http::conflict("there is a link of this name");
  co_return http::Created<Link>{{*in->name, *in->url}, "/l/" + *in->name};
}

Task<std::vector<Link>> list_links(From<User> user, State<Links> links) { co_return co_await links->of(user->id); }

Task<> delete_link(Path<std::string> name, From<User> user, State<Links> links) {
  const bool removed = co_await links->remove(user->id, *name);
  if (!removed) throw http::not_found("you have no link of this name");
}

Task<http::Response> follow_link(Path<std::string> name, State<Links> links) {
  const std::optional<Link> link = co_await links->visit(*name);
  if (!link) throw http::not_found("There is no link of this name.");
  if (link->safety == Safety::unknown) {
    throw http::unavailable("The address of this link is being checked.").retry_after(1s);
  }
  if (link->safety == Safety::dangerous) {
    throw http::Problem(http::Status::gone, "The address of this link is dangerous.");
  }
  co_return http::redirect(link->url, http::Status::found);
}

// Begins with the links as they are, because they may have changed since the page was made.
Task<> watch_links(http::EventStream& out, From<User> user, State<Links> links) {
  std::string after(out.last_event_id());
  const bool reconnects = !after.empty();
  auto changes = co_await links->changes(user->id, std::move(after));
  if (!reconnects) {
    const std::vector<Link> present = co_await links->of(user->id);
    for (const Link& link : present) co_await out.send(http::to_json(link));
  }
  co_await http::serve(out, changes);
}

}  // namespace

Links::Links(sqlite::Pool db, sqlite::JobQueue checks) : db_(std::move(db)), checks_(std::move(checks)) {}

Task<bool> Links::add(std::int64_t owner, NewLink link) const {
  constexpr auto kInsert = "insert into link (name, url, owner) values ($1, $2, $3) on conflict do nothing";
  sqlite::Transaction transaction = co_await db_.transaction();
  const auto added = co_await transaction.execute(kInsert, *link.name, *link.url, owner);
  if (added == 0) co_return false;
  std::string job = http::to_json(link);
  co_await checks_.push(transaction, std::move(job));
  co_await transaction.commit();
  co_return true;
}

Task<std::vector<Link>> Links::of(std::int64_t owner) const {
  co_return co_await db_.query<Link>("select name, url, safety, visits from link where owner = $1 order by name",
                                     owner);
}

Task<bool> Links::remove(std::int64_t owner, std::string name) const {
  const auto removed = co_await db_.execute("delete from link where name = $1 and owner = $2", name, owner);
  co_return removed != 0;
}

Task<std::optional<Link>> Links::visit(std::string name) const {
  constexpr auto kVisit =
      "update link set visits = visits + (safety = 'safe') where name = $1 returning owner, name, url, safety, visits";
  auto visited = co_await db_.find<ChangedLink>(kVisit, name);
  co_return co_await publish(changes_, std::move(visited));
}

Task<> Links::set_safety(NewLink link, Safety safety) const {
  constexpr auto kSet =
      "update link set safety = $1 where name = $2 and url = $3 returning owner, name, url, safety, visits";
  auto changed = co_await db_.find<ChangedLink>(kSet, safety, *link.name, *link.url);
  co_await publish(changes_, std::move(changed));
}

Task<http::TopicSubscription> Links::changes(std::int64_t owner, std::string after) const {
  std::string topic = std::to_string(owner);
  http::SubscribeOptions options{.after = std::move(after)};
  co_return co_await changes_.subscribe(std::move(topic), std::move(options));
}

void add_link_routes(http::Group& open, http::Group& api) {
  open.get("/l/{name}", follow_link).summary("Leads to the address of a link").tag("links");
  api.post("/links", post_link).summary("Adds a link").tag("links");
  api.get("/links", list_links).summary("Lists the user's links").tag("links");
  api.del("/links/{name}", delete_link).summary("Removes a link").tag("links");
  api.get("/changes", watch_links).summary("Sends the user's links when they change").tag("links");
}

}  // namespace links
