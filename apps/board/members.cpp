// SPDX-License-Identifier: MIT

#include "apps/board/members.h"

#include <http/middleware/passwords.h>
#include <http/validation/checked.h>
#include <pg/pg.h>

#include <optional>
#include <utility>

namespace board {
namespace {

namespace http = volt::http;
namespace pg = volt::pg;
using http::From;
using http::Json;
using http::Passwords;
using http::Path;
using http::Session;
using http::State;
using volt::Task;

struct Credentials {
  volt::Pattern<"[a-z0-9._-]{3,32}"> name;
  volt::Length<std::string, 12, 128> password;
};

struct Known {
  std::int64_t id;
  std::string password_hash;
};

struct Profile {
  std::int64_t id;
  std::string name;
  std::int64_t posts;
  std::int64_t words;
};

Task<http::Created<Member>> sign_up(Json<Credentials> in, State<pg::Pool> db, State<Passwords> passwords) {
  std::string hash = co_await passwords->hash(in->password);
  auto added = co_await db->find<Member>(
      "insert into member (name, password_hash) values ($1, $2) on conflict (name) do nothing returning id, name",
      in->name.value(), hash);
  if (!added) throw http::conflict("this name is taken");
  co_return *std::move(added);
}

// One answer for an unknown name and for a wrong password, after the same time: it does not tell which names exist.
Task<Member> log_in(Json<Credentials> in, From<Session> session, State<pg::Pool> db, State<Passwords> passwords) {
  const auto known = co_await db->find<Known>("select id, password_hash from member where name = $1", in->name.value());
  std::optional<std::string> hash;
  if (known) hash = known->password_hash;
  const bool matches = co_await passwords->verify(in->password, std::move(hash));
  if (!matches) throw http::unauthorized("the name or the password is wrong");
  const Member member{.id = known->id, .name = in->name};
  session->rotate();  // session fixation: the cookie from before is worth nothing
  session->set(kMember, member);
  co_return member;
}

void log_out(From<Session> session) { session->destroy(); }

Member me(From<Member> member) { return *member; }

// The numbers are those of the posts that the job has counted (apps/board/delivery.h).
Task<std::optional<Profile>> profile(Path<std::int64_t> id, State<pg::Pool> db) {
  co_return co_await db->find<Profile>("select id, name, posts, words from member where id = $1", *id);
}

// Both routes count together, because the limit has one name.
http::Middleware limiter(const LoginLimit& limit) {
  return http::rate_limit({.per_second = 1, .burst = limit.burst}, {.name = "login", .store = limit.store});
}

}  // namespace

void add_members(http::App& app, const Access& access, const LoginLimit& limit) {
  auto members = app.group("/members");
  members.use(limiter(limit));
  members.post("", sign_up).summary("Signs up").operation_id("sign_up");
  app.get("/members/{id}", profile).summary("A member, with the number of posts").operation_id("profile");
  auto login = app.group("/session");
  access.with_session(login);
  login.use(limiter(limit));
  login.post("", log_in).summary("Logs in").operation_id("log_in");
  auto session = app.group("/session");
  access.members_only(session);
  session.get("", me).summary("The member who is logged in").operation_id("me");
  session.del("", log_out).summary("Logs out").operation_id("log_out");
}

}  // namespace board
