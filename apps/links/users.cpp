// SPDX-License-Identifier: MIT

#include "apps/links/users.h"

#include <utility>

namespace links {
namespace {

constexpr const char* kUser = "user";  // the value of a session: the id

struct StoredUser {
  std::int64_t id;
  std::string name;
  std::string hash;
};

}  // namespace

Users::Users(volt::sqlite::Pool db, volt::http::Passwords passwords)
    : db_(std::move(db)), passwords_(std::move(passwords)) {}

Task<std::optional<User>> Users::add(Credentials credentials) const {
  const std::string hash = co_await passwords_.hash(*credentials.password);
  constexpr auto kInsert = "insert into user (name, hash) values ($1, $2) on conflict do nothing returning id, name";
  co_return co_await db_.find<User>(kInsert, *credentials.name, hash);
}

Task<std::optional<User>> Users::verify(Credentials credentials) const {
  constexpr auto kFind = "select id, name, hash from user where name = $1";
  const std::optional<StoredUser> found = co_await db_.find<StoredUser>(kFind, *credentials.name);
  std::optional<std::string> hash;
  if (found) hash = found->hash;
  const bool right = co_await passwords_.verify(*credentials.password, hash);
  if (!right) co_return std::nullopt;
  co_return User{.id = found->id, .name = found->name};
}

void Users::log_in(volt::http::Session& session, const User& user) {
  session.rotate();  // an attacker who knows the old cookie gains nothing
  session.set(kUser, user.id);
}

Task<std::optional<User>> Users::of(const volt::http::Session& session) const {
  const auto id = session.get<std::int64_t>(kUser);
  if (!id) co_return std::nullopt;
  co_return co_await db_.find<User>("select id, name from user where id = $1", *id);
}

}  // namespace links
