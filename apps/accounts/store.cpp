// SPDX-License-Identifier: MIT

#include "apps/accounts/store.h"

#include <string_view>
#include <utility>

namespace accounts {
namespace {

namespace sqlite = volt::sqlite;

constexpr const char* kTables = R"(
create table user (
  id integer primary key autoincrement,
  name text not null unique,
  password_hash text,
  role integer not null check (role in (0, 1))
) strict;
create table identity (
  issuer text not null,
  subject text not null,
  user integer not null references user (id) on delete cascade,
  primary key (issuer, subject)
) strict;
create table login (
  id integer primary key autoincrement,
  user integer not null references user (id) on delete cascade,
  created integer not null default (cast(strftime('%s', 'now') as integer)),
  used integer not null default (cast(strftime('%s', 'now') as integer)),
  address text not null,
  agent text not null
) strict;
create index login_by_user on login (user);
create index login_by_created on login (created);
)";

constexpr std::string_view kIsCurrent = "created > cast(strftime('%s', 'now') as integer) - $1 * 86400";

// A row of a user and a login.
struct UserRow {
  std::int64_t id;
  std::string name;
  int role;
  std::int64_t login;
  bool is_old_use;
};

struct ListedRow {
  std::int64_t id;
  std::string name;
  int role;
};

}  // namespace

Task<> Store::migrate() const {
  std::vector<volt::migrations::File> files = {{"0001_users.sql", kTables}};
  co_await sqlite::migrate(pool_, std::move(files));
}

Task<> Store::probe() const { static_cast<void>(co_await pool_.find<std::int64_t>("select count(*) from identity")); }

Task<std::optional<std::int64_t>> Store::add_user(std::string name, std::optional<std::string> password_hash,
                                                  Role role) const {
  co_return co_await pool_.find<std::int64_t>(
      "insert into user (name, password_hash, role) values ($1, $2, $3) on conflict (name) do nothing returning id",
      name, password_hash, static_cast<int>(role));
}

Task<std::optional<Credentials>> Store::credentials(std::string name) const {
  co_return co_await pool_.find<Credentials>("select id, password_hash from user where name = $1", name);
}

Task<> Store::replace_hash(std::int64_t user, std::string password_hash) const {
  co_await pool_.execute("update user set password_hash = $1 where id = $2", password_hash, user);
}

Task<std::int64_t> Store::user_of_identity(std::string issuer, std::string subject, std::string wanted_name) const {
  sqlite::Transaction transaction = co_await pool_.transaction();
  const auto known = co_await transaction.find<std::int64_t>(
      "select user from identity where issuer = $1 and subject = $2", issuer, subject);
  if (known) co_return *known;
  auto added = co_await transaction.find<std::int64_t>(
      "insert into user (name, role) values ($1, 0) on conflict (name) do nothing returning id", wanted_name);
  if (!added) {  // never the account of that name: its owner has not proved to be this user
    added = co_await transaction.find<std::int64_t>(
        "insert into user (name, role) values ('user-' || lower(hex(randomblob(8))), 0) returning id");
  }
  co_await transaction.execute("insert into identity (issuer, subject, user) values ($1, $2, $3)", issuer, subject,
                               *added);
  co_await transaction.commit();
  co_return *added;
}

Task<std::int64_t> Store::add_login(std::int64_t user, std::string address, std::string agent) const {
  const std::string expired = "delete from login where not (" + std::string(kIsCurrent) + ")";
  co_await pool_.execute(expired, kLoginDays);
  const auto added = co_await pool_.find<std::int64_t>(
      "insert into login (user, address, agent) values ($1, $2, $3) returning id", user, address, agent);
  co_return *added;
}

Task<std::optional<User>> Store::user_of_login(std::int64_t login) const {
  const std::string sql =
      "select user.id, name, role, login.id, used < cast(strftime('%s', 'now') as integer) - 60 "
      "from login join user on user.id = login.user where login.id = $2 and " +
      std::string(kIsCurrent);
  auto row = co_await pool_.find<UserRow>(sql, kLoginDays, login);
  if (!row) co_return std::nullopt;
  if (row->is_old_use) {
    co_await pool_.execute("update login set used = cast(strftime('%s', 'now') as integer) where id = $1", login);
  }
  co_return User{
      .id = row->id, .name = std::move(row->name), .role = static_cast<Role>(row->role), .login = row->login};
}

Task<std::vector<Login>> Store::logins_of(std::int64_t user) const {
  const std::string sql = "select id, created, used, address, agent from login where user = $2 and " +
                          std::string(kIsCurrent) + " order by id desc";
  co_return co_await pool_.query<Login>(sql, kLoginDays, user);
}

Task<bool> Store::end_login(std::int64_t user, std::int64_t login) const {
  const std::uint64_t ended = co_await pool_.execute("delete from login where id = $1 and user = $2", login, user);
  co_return ended != 0;
}

Task<std::vector<Listed>> Store::users() const {
  const auto rows = co_await pool_.query<ListedRow>("select id, name, role from user order by name limit 1000");
  std::vector<Listed> users;
  for (const ListedRow& row : rows) {
    users.push_back({.id = row.id, .name = row.name, .role = static_cast<Role>(row.role)});
  }
  co_return users;
}

Task<bool> Store::set_role(std::int64_t user, Role role) const {
  const std::uint64_t changed =
      co_await pool_.execute("update user set role = $1 where id = $2", static_cast<int>(role), user);
  co_return changed != 0;
}

}  // namespace accounts
