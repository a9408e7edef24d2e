// SPDX-License-Identifier: MIT

// SqliteSessions: sessions in a SQLite file, which survive a restart and are shared by the processes of one machine.
//
//   app.before_listen([db] { return sessions::SqliteSessions::create_table(db); });
//   app.use(http::sessions({.keys = keys, .store = std::make_shared<sessions::SqliteSessions>(db)}));
//
// Each session is a row of the table volt_session, under a digest of its cookie. Rows that have expired are not read,
// and each new session deletes up to ten of them, so that the table does not grow. A session that is used is written
// when half its idle time is over, not at each use; other requests only read. Times are milliseconds since 1970, by the
// clock of this program (runtime/wall_clock.h).
//
// A commit waits for the disk, and the file has one writer at a time (sqlite/pool.h). A service in which very many
// sessions begin gives them a file of their own with Synchronous::normal: then they do not hold up other changes, and a
// power failure ends only the last ones.
//
// Threads: any task of the pool's runtime. Lifetime: keeps the pool open. Errors: sqlite/error.h.
#pragma once

#include <chrono>
#include <string>

#include "http/cookies/session_store.h"
#include "sessions/store_options.h"
#include "sqlite/pool.h"

namespace volt::sessions {

class SqliteSessions final : public http::SessionStore {
 public:
  explicit SqliteSessions(sqlite::Pool db, StoreOptions options = {});

  // Creates the table, unless it exists. For databases without migrations.
  static Task<> create_table(sqlite::Pool db);

  [[nodiscard]] std::chrono::seconds idle_time() const noexcept override { return options_.idle_time; }
  [[nodiscard]] Task<std::optional<std::string>> load(std::string cookie) override;
  [[nodiscard]] Task<std::expected<std::string, http::cookies::SaveError>> save(
      std::string cookie, std::string data, http::cookies::Renewal renewal) override;
  Task<> remove(std::string cookie) override;

 private:
  // Adds a session, and deletes some that have expired.
  [[nodiscard]] Task<> insert(std::string name, std::string data) const;

  const sqlite::Pool db_;
  const StoreOptions options_;
};

}  // namespace volt::sessions
