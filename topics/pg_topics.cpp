// SPDX-License-Identifier: MIT

#include "topics/pg_topics.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "http/websocket/protocol/utf8.h"
#include "pg/error.h"
#include "pg/listener.h"
#include "pg/transaction.h"
#include "topics/internal/wire.h"

namespace volt::topics {
namespace {

using http::TopicHistory;
using http::TopicPosition;
using Bytes = std::vector<std::byte>;

constexpr const char* kChannel = "volt_topics";
constexpr std::size_t kNotifiedBytesMax = 7'900;  // of topic, data and what is between them; PostgreSQL allows 7,999

constexpr std::string_view kCreateTopicTables =
    "create table if not exists volt_topic (name text primary key, epoch bigint not null, last bigint not null, "
    "expires timestamptz not null); "
    "create table if not exists volt_topic_message (topic text, sequence bigint, data bytea not null, "
    "primary key (topic, sequence)); "
    "create table if not exists volt_topic_process (name text primary key, expires timestamptz not null); "
    "create table if not exists volt_topic_member (topic text, member text, process text, "
    "primary key (topic, member, process)); "
    "create index if not exists volt_topic_member_process on volt_topic_member (process)";

// $1 topic, $2 data, $3 epoch if the topic is new, $4 history_max, $5 milliseconds of retention, $6 rest of the
// notification.
constexpr std::string_view kPublishMessage =
    "with topic as (insert into volt_topic as old values ($1, $3, 1, now() + $5 * interval '1 millisecond') "
    "on conflict (name) do update set last = old.last + 1, expires = excluded.expires returning epoch, last), "
    "kept as (insert into volt_topic_message select $1, last, $2 from topic), "
    "dropped as (delete from volt_topic_message where topic = $1 and sequence <= (select last from topic) - $4), "
    "told as (select pg_notify('volt_topics', concat('m ', epoch, ' ', last, $6::text)) from topic) "
    "select epoch, last from topic, told";
constexpr std::string_view kBeginTopic =
    "insert into volt_topic values ($1, $2, 0, now() + interval '1 day') on conflict (name) do nothing";
constexpr std::string_view kReadHistory =
    "select epoch, last, sequence, data from volt_topic left join volt_topic_message on topic = name and sequence > $2 "
    "where name = $1 order by sequence";

// Serializes the changes of members, so that exactly one process announces each.
constexpr std::string_view kLockMembers = "select pg_advisory_xact_lock(hashtext('volt_topic_member'))";
constexpr std::string_view kCountMember =
    "select count(*) filter (where member = $2), count(distinct member) from volt_topic_member where topic = $1";
constexpr std::string_view kAnnounce = "select pg_notify('volt_topics', $1)";

struct PublishedRow {
  std::int64_t epoch;
  std::int64_t last;
};
struct HistoryRow {
  std::int64_t epoch;
  std::int64_t last;
  std::optional<std::int64_t> sequence;
  std::optional<Bytes> data;
};
struct MemberCounts {
  std::int64_t processes;  // that have the member
  std::int64_t members;
};
struct MemberRow {
  std::string topic;
  std::string member;
};

TopicPosition position_of(std::int64_t epoch, std::int64_t sequence) {
  return {.epoch = static_cast<std::uint32_t>(epoch), .sequence = static_cast<std::uint64_t>(sequence)};
}

// Returns the part of a notification behind the position. Data that is long, or is not text, is left to the table.
std::string notification_rest(const std::string& topic, std::string_view data) {
  std::string rest = " " + std::to_string(topic.size()) + " " + topic;
  const bool fits = rest.size() + data.size() <= kNotifiedBytesMax - 40;  // with the position
  const bool is_text = !data.contains('\0') && http::websocket::is_utf8(data);
  return fits && is_text ? rest.append("+").append(data) : rest.append("-");
}

// Announces a join or leave of a member that is in no other process.
Task<> announce(const pg::Transaction& transaction, char kind, std::string topic, std::string member,
                std::int64_t processes) {
  const auto counts = co_await transaction.find<MemberCounts>(kCountMember, topic, member);
  if (!counts || counts->processes != processes) co_return;
  const std::string text = std::string(1, kind) + " " + std::to_string(counts->members) + " 0 " +
                           std::to_string(topic.size()) + " " + topic + "+" + member;
  co_await transaction.execute(kAnnounce, text);
}

}  // namespace

PgTopics::PgTopics(pg::Pool db, pg::PoolOptions options, std::chrono::milliseconds lease_time)
    : db_(std::move(db)),
      options_(std::move(options)),
      lease_time_(lease_time),
      process_(internal::random_process_name()) {
  if (lease_time.count() <= 0) throw std::invalid_argument("the lease time of PgTopics must be positive");
}

Task<> PgTopics::create_tables(pg::Pool db) {
  pg::Transaction transaction = co_await db.transaction();
  // Two processes that create one table at the same time would get an error of its catalog.
  co_await transaction.execute("select pg_advisory_xact_lock(hashtext('volt_topic'))");
  std::string_view statements = kCreateTopicTables;
  while (!statements.empty()) {
    const std::size_t end = std::min(statements.find("; "), statements.size());
    co_await transaction.execute(statements.substr(0, end));
    statements.remove_prefix(std::min(end + 2, statements.size()));
  }
  co_await transaction.commit();
}

Task<> PgTopics::run(http::TopicSink& sink) {
  pg::Listener listener(options_, {kChannel});
  for (;;) {
    const pg::Notification notification = co_await listener.next();
    if (notification.gap) {
      co_await sink.resume();
      continue;
    }
    std::optional<internal::Announcement> announcement = internal::parse_announcement(notification.payload);
    if (announcement) co_await internal::pass_on(*std::move(announcement), *this, sink);
  }
}

Task<TopicPosition> PgTopics::publish(std::string topic, std::string data, http::TopicLimits limits) {
  const std::string rest = notification_rest(topic, data);
  const auto bytes = std::as_bytes(std::span(data));
  const auto history_max = static_cast<std::int64_t>(limits.history_max);
  const auto retention_ms = static_cast<double>(std::chrono::milliseconds(limits.retention).count());
  const std::int64_t epoch = internal::random_epoch();
  const auto row =
      co_await db_.find<PublishedRow>(kPublishMessage, topic, bytes, epoch, history_max, retention_ms, rest);
  if (!row) throw pg::DecodeError("a published message has no position");
  co_return position_of(row->epoch, row->last);
}

Task<TopicHistory> PgTopics::history(std::string topic, std::uint64_t after) {
  const std::int64_t epoch = internal::random_epoch();
  co_await db_.execute(kBeginTopic, topic, epoch);
  const auto rows = co_await db_.query<HistoryRow>(kReadHistory, topic, static_cast<std::int64_t>(after));
  if (rows.empty()) throw pg::DecodeError("a topic was deleted while its history was read");
  TopicHistory history{.last = position_of(rows.front().epoch, rows.front().last), .records = {}};
  for (const HistoryRow& row : rows) {
    if (!row.sequence || !row.data) continue;
    const std::string_view data(reinterpret_cast<const char*>(row.data->data()), row.data->size());
    history.records.push_back({.position = position_of(row.epoch, *row.sequence), .data = std::string(data)});
  }
  co_return history;
}

Task<> PgTopics::join(std::string topic, std::string member) {
  pg::Transaction transaction = co_await db_.transaction();
  co_await transaction.execute(kLockMembers);
  const auto leases =
      co_await transaction.find<std::int64_t>("select count(*) from volt_topic_process where name = $1", process_);
  if (leases != 1) throw std::runtime_error("the lease of this process for members of topics has expired");
  const std::uint64_t added = co_await transaction.execute(
      "insert into volt_topic_member values ($1, $2, $3) on conflict do nothing", topic, member, process_);
  if (added != 0) co_await announce(transaction, 'j', std::move(topic), std::move(member), 1);
  co_await transaction.commit();
}

Task<> PgTopics::leave(std::string topic, std::string member) {
  pg::Transaction transaction = co_await db_.transaction();
  co_await transaction.execute(kLockMembers);
  const std::uint64_t removed = co_await transaction.execute(
      "delete from volt_topic_member where topic = $1 and member = $2 and process = $3", topic, member, process_);
  if (removed != 0) co_await announce(transaction, 'l', std::move(topic), std::move(member), 0);
  co_await transaction.commit();
}

Task<std::vector<std::string>> PgTopics::members(std::string topic) {
  return db_.query<std::string>(
      "select distinct member collate \"C\" as name from volt_topic_member where topic = $1 order by name", topic);
}

Task<bool> PgTopics::renew() {
  const auto lease_ms = static_cast<double>(lease_time_.count());
  pg::Transaction transaction = co_await db_.transaction();
  co_await transaction.execute(kLockMembers);
  const auto kept = co_await transaction.find<std::int64_t>(
      "select count(*) from volt_topic_process where name = $1 and expires > clock_timestamp()", process_);
  const auto gone = co_await transaction.query<MemberRow>(
      "with dead as (delete from volt_topic_process where expires <= clock_timestamp() returning name) "
      "delete from volt_topic_member where process in (select name from dead) returning topic, member");
  for (const MemberRow& row : gone) co_await announce(transaction, 'l', row.topic, row.member, 0);
  co_await transaction.execute(
      "insert into volt_topic_process values ($1, clock_timestamp() + $2 * interval '1 millisecond') "
      "on conflict (name) do update set expires = excluded.expires",
      process_, lease_ms);
  co_await transaction.execute(
      "delete from volt_topic_message where topic in (select name from volt_topic where expires < now())");
  co_await transaction.execute("delete from volt_topic where expires < now() - interval '1 day'");
  co_await transaction.commit();
  co_return kept == 1;
}

}  // namespace volt::topics
