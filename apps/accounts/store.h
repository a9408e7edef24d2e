// SPDX-License-Identifier: MIT

// Store: users, their identities at an OpenID provider, and their logins, in SQLite.
//
// A login is a row, to which the session's cookie refers. So it can be listed and revoked, although the session itself
// is in an encrypted cookie.
//
// Threads: any task of one runtime. Errors: those of sqlite/error.h.
#pragma once

#include <runtime/task.h>
#include <sqlite/sqlite.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace accounts {

using volt::Task;

enum class Role : std::uint8_t { member, admin };

// A user who is logged in.
struct User {
  std::int64_t id;
  std::string name;
  Role role = Role::member;
  std::int64_t login;  // the login by which the request was made
};

struct Credentials {
  std::int64_t id;
  std::optional<std::string> password_hash;  // none for a user of an OpenID provider
};

struct Login {
  std::int64_t id;
  std::int64_t created;  // seconds since 1970
  std::int64_t used;     // likewise, rounded to minutes
  std::string address;
  std::string agent;  // User-Agent, shortened
};

struct Listed {
  std::int64_t id;
  std::string name;
  Role role = Role::member;
};

class Store {
 public:
  static constexpr std::int64_t kLoginDays = 7;  // then the user must log in again

  // Opens the file; ":memory:" is a database in memory.
  explicit Store(const std::string& path) : pool_({.path = path}) {}

  [[nodiscard]] Task<> migrate() const;
  // Throws if the database cannot be used.
  [[nodiscard]] Task<> probe() const;

  // Returns the id; nullopt if the name is taken.
  [[nodiscard]] Task<std::optional<std::int64_t>> add_user(std::string name, std::optional<std::string> password_hash,
                                                           Role role) const;
  [[nodiscard]] Task<std::optional<Credentials>> credentials(std::string name) const;
  [[nodiscard]] Task<> replace_hash(std::int64_t user, std::string password_hash) const;
  // Returns the user of the identity, who is added at the first login. `wanted_name` is used if it is free.
  [[nodiscard]] Task<std::int64_t> user_of_identity(std::string issuer, std::string subject,
                                                    std::string wanted_name) const;

  // Returns the id of the login. Removes the logins of all users that have expired.
  [[nodiscard]] Task<std::int64_t> add_login(std::int64_t user, std::string address, std::string agent) const;
  // Returns nullopt if the login has ended. Notes that it was used.
  [[nodiscard]] Task<std::optional<User>> user_of_login(std::int64_t login) const;
  [[nodiscard]] Task<std::vector<Login>> logins_of(std::int64_t user) const;
  // Returns false if the user has no such login.
  [[nodiscard]] Task<bool> end_login(std::int64_t user, std::int64_t login) const;

  [[nodiscard]] Task<std::vector<Listed>> users() const;
  // Returns false if there is no such user.
  [[nodiscard]] Task<bool> set_role(std::int64_t user, Role role) const;

 private:
  volt::sqlite::Pool pool_;
};

}  // namespace accounts
