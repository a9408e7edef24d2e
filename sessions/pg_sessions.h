// SPDX-License-Identifier: MIT

// PgSessions: sessions in PostgreSQL, shared by all processes that use the same database.
//
//   app.before_listen([db] { return sessions::PgSessions::create_table(db); });
//   app.use(http::sessions({.keys = keys, .store = std::make_shared<sessions::PgSessions>(db)}));
//
// Each session is a row of the table volt_session, under a digest of its cookie. Rows that have expired are not read,
// and each new session deletes up to ten of them, so that the table does not grow. A session that is used is written
// when half its idle time is over, not at each use.
//
// Threads: any task. Lifetime: keeps the pool open. Errors: pg/error.h.
#pragma once

#include <chrono>
#include <string>

#include "http/cookies/session_store.h"
#include "pg/pool.h"
#include "sessions/store_options.h"

namespace volt::sessions {

class PgSessions final : public http::SessionStore {
 public:
  explicit PgSessions(pg::Pool db, StoreOptions options = {});

  // Creates the table, unless it exists. For databases without migrations.
  static Task<> create_table(pg::Pool db);

  [[nodiscard]] std::chrono::seconds idle_time() const noexcept override { return options_.idle_time; }
  [[nodiscard]] Task<std::optional<std::string>> load(std::string cookie) override;
  [[nodiscard]] Task<std::expected<std::string, http::cookies::SaveError>> save(
      std::string cookie, std::string data, http::cookies::Renewal renewal) override;
  Task<> remove(std::string cookie) override;

 private:
  const pg::Pool db_;
  const StoreOptions options_;
};

}  // namespace volt::sessions
