// SPDX-License-Identifier: MIT

#include "sessions/sqlite_sessions.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "http/cookies/session_id.h"
#include "runtime/wall_clock.h"
#include "sessions/internal/planned_save.h"

namespace volt::sessions {
namespace {

using http::cookies::Renewal;
using http::cookies::SaveError;
using http::cookies::session_name;

constexpr std::string_view kCreateSessionTable =
    "create table if not exists volt_session (name text primary key, data text not null, expires integer not null) "
    "strict; "
    "create index if not exists volt_session_expires on volt_session (expires);";
constexpr std::string_view kInsertSession = "insert into volt_session (name, data, expires) values ($1, $2, $3)";
constexpr std::string_view kDeleteExpired =
    "delete from volt_session where name in (select name from volt_session where expires <= $1 order by expires limit "
    "10)";

struct StoredSession {
  std::string data;
  bool half_idle;
};

// Returns the time in `duration`, in milliseconds since 1970.
std::int64_t session_time_in(std::chrono::milliseconds duration) {
  const auto now = wall_now().time_since_epoch();
  return (std::chrono::duration_cast<std::chrono::milliseconds>(now) + duration).count();
}

std::int64_t session_time_now() { return session_time_in(std::chrono::milliseconds(0)); }

}  // namespace

SqliteSessions::SqliteSessions(sqlite::Pool db, StoreOptions options) : db_(std::move(db)), options_(options) {}

Task<> SqliteSessions::create_table(sqlite::Pool db) { co_await db.script(kCreateSessionTable); }

Task<std::optional<std::string>> SqliteSessions::load(std::string cookie) {
  const std::optional<std::string> name = session_name(cookie);
  if (!name) co_return std::nullopt;
  const std::chrono::milliseconds idle_time = options_.idle_time;
  std::optional<StoredSession> found =
      co_await db_.find<StoredSession>("select data, expires < $2 from volt_session where name = $1 and expires > $3",
                                       *name, session_time_in(idle_time / 2), session_time_now());
  if (!found) co_return std::nullopt;
  if (found->half_idle) {
    co_await db_.execute("update volt_session set expires = $2 where name = $1 and expires > $3", *name,
                         session_time_in(idle_time), session_time_now());
  }
  co_return std::move(found->data);
}

Task<std::expected<std::string, SaveError>> SqliteSessions::save(std::string cookie, std::string data,
                                                                 Renewal renewal) {
  const auto plan = plan_save(cookie, data, renewal, options_);
  if (!plan) co_return std::unexpected(plan.error());
  if (plan->old_name.empty()) {
    co_await insert(plan->name, std::move(data));
    co_return plan->cookie;
  }
  const std::uint64_t rows = co_await db_.execute(
      "update volt_session set name = $2, data = $3, expires = $4 where name = $1 and expires > $5", plan->old_name,
      plan->name, data, session_time_in(options_.idle_time), session_time_now());
  if (rows == 0) co_return std::unexpected(SaveError::gone);
  co_return plan->cookie;
}

// One call; the deletion is a commit of its own, which writes nothing if nothing has expired.
Task<> SqliteSessions::insert(std::string name, std::string data) const {
  sqlite::Batch batch;
  batch.add(kDeleteExpired, session_time_now());
  batch.add(kInsertSession, name, data, session_time_in(options_.idle_time));
  const std::vector<sqlite::Rows> done = co_await db_.send(std::move(batch));
}

Task<> SqliteSessions::remove(std::string cookie) {
  const std::optional<std::string> name = session_name(cookie);
  if (name) co_await db_.execute("delete from volt_session where name = $1", *name);
}

}  // namespace volt::sessions
