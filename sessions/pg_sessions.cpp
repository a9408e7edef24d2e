// SPDX-License-Identifier: MIT

#include "sessions/pg_sessions.h"

#include <utility>

#include "http/cookies/session_id.h"
#include "sessions/internal/planned_save.h"

namespace volt::sessions {
namespace {

using http::cookies::Renewal;
using http::cookies::SaveError;
using http::cookies::session_name;

struct Row {
  std::string data;
  bool half_idle;
};

}  // namespace

PgSessions::PgSessions(pg::Pool db, StoreOptions options) : db_(std::move(db)), options_(options) {}

Task<> PgSessions::create_table(pg::Pool db) {
  pg::Transaction transaction = co_await db.transaction();
  // Two processes that create one table at the same time would get an error of its catalog.
  co_await transaction.execute("select pg_advisory_xact_lock(hashtext('volt_session'))");
  co_await transaction.execute(
      "create table if not exists volt_session (name text primary key, data text not null, expires timestamptz not "
      "null)");
  co_await transaction.execute("create index if not exists volt_session_expires on volt_session (expires)");
  co_await transaction.commit();
}

Task<std::optional<std::string>> PgSessions::load(std::string cookie) {
  const std::optional<std::string> name = session_name(cookie);
  if (!name) co_return std::nullopt;
  const std::int64_t idle_seconds = options_.idle_time.count();
  std::optional<Row> row = co_await db_.find<Row>(
      "select data, expires < now() + $2::bigint * interval '1 second' / 2 from volt_session "
      "where name = $1 and expires > now()",
      *name, idle_seconds);
  if (!row) co_return std::nullopt;
  if (row->half_idle) {
    co_await db_.execute(
        "update volt_session set expires = now() + $2::bigint * interval '1 second' where name = $1 and expires > "
        "now()",
        *name, idle_seconds);
  }
  co_return std::move(row->data);
}

Task<std::expected<std::string, SaveError>> PgSessions::save(std::string cookie, std::string data, Renewal renewal) {
  const auto plan = plan_save(cookie, data, renewal, options_);
  if (!plan) co_return std::unexpected(plan.error());
  const std::int64_t idle_seconds = options_.idle_time.count();
  std::uint64_t rows = 0;
  if (plan->old_name.empty()) {
    rows = co_await db_.execute(
        "with expired as (delete from volt_session where name in (select name from volt_session where expires < now() "
        "order by expires limit 10 for update skip locked)) "
        "insert into volt_session values ($1, $2, now() + $3::bigint * interval '1 second')",
        plan->name, data, idle_seconds);
  } else {
    rows = co_await db_.execute(
        "update volt_session set name = $2, data = $3, expires = now() + $4::bigint * interval '1 second' "
        "where name = $1 and expires > now()",
        plan->old_name, plan->name, data, idle_seconds);
  }
  if (rows == 0) co_return std::unexpected(SaveError::gone);
  co_return plan->cookie;
}

Task<> PgSessions::remove(std::string cookie) {
  const std::optional<std::string> name = session_name(cookie);
  if (name) co_await db_.execute("delete from volt_session where name = $1", *name);
}

}  // namespace volt::sessions
