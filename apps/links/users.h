// SPDX-License-Identifier: MIT

// Users: who has an account, and who is logged in.
//
// Sessions are in the database, so that a restart logs no user out, and a logout also ends that of a stolen cookie.
//
// Threads: a value, used by any task.
#pragma once

#include <http/http.h>
#include <http/middleware/passwords.h>
#include <http/middleware/session.h>
#include <http/validation/checked.h>
#include <sqlite/sqlite.h>

#include <cstdint>
#include <optional>
#include <string>

namespace links {

using volt::Task;

struct User {
  std::int64_t id;
  std::string name;
};

// The form of the login, and of a new account.
struct Credentials {
  volt::Pattern<"[a-z0-9-]{2,40}"> name;
  volt::Length<std::string, 8, 200> password;
};

class Users {
 public:
  Users(volt::sqlite::Pool db, volt::http::Passwords passwords);

  // Returns nullopt if the name is taken.
  [[nodiscard]] Task<std::optional<User>> add(Credentials credentials) const;
  // Returns nullopt for an unknown name and for a wrong password, after the same time.
  [[nodiscard]] Task<std::optional<User>> verify(Credentials credentials) const;

  static void log_in(volt::http::Session& session, const User& user);
  // Returns the user of a session; nullopt if none is logged in.
  [[nodiscard]] Task<std::optional<User>> of(const volt::http::Session& session) const;

 private:
  volt::sqlite::Pool db_;
  volt::http::Passwords passwords_;
};

}  // namespace links
