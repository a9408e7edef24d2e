// SPDX-License-Identifier: MIT

// PgTopics: topics that all processes share that use the same PostgreSQL database.
//
//   app.before_listen([db] { return topics::PgTopics::create_tables(db); });
//   app.state(http::Topics<Line>({}, std::make_shared<topics::PgTopics>(db, pg::options_from_environment())));
//
// One statement numbers each message, stores it in the table volt_topic_message, deletes those that are no longer kept,
// and notifies the other processes (NOTIFY). It locks the row of the topic in volt_topic, so that messages become
// visible in the order of their numbers. PostgreSQL limits a notification to 8,000 bytes: the text of a short message
// is part of it, and for any other message each process that has subscribers reads the table. So the size of messages
// has no limit but TopicOptions::message_bytes_max, and messages of more than about 7,600 bytes cost a query more.
//
// All topics use one channel, and each process drops what it has no subscribers for: LISTEN would otherwise need a
// statement per topic. PostgreSQL serializes the commits of all transactions that notify, so this backend suits some
// hundred messages a second; Redis suits more (topics/redis_topics.h).
//
// When the connection has been lost, the missed messages are read from the table; if they are gone, subscribers get a
// gap. A process that ends without leaving is counted until its lease ends, at most half a minute later.
//
// Threads: any task of one runtime. Lifetime: keeps the pool open. Errors: pg/error.h.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "http/topics/topic_backend.h"
#include "pg/options.h"
#include "pg/pool.h"

namespace volt::topics {

class PgTopics final : public http::TopicBackend {
 public:
  // `options`: for the connection that listens, besides those of the pool.
  PgTopics(pg::Pool db, pg::PoolOptions options, std::chrono::milliseconds lease_time = std::chrono::seconds(30));

  // Creates the tables, unless they exist. For databases without migrations.
  static Task<> create_tables(pg::Pool db);

  [[nodiscard]] Task<> run(http::TopicSink& sink) override;
  [[nodiscard]] Task<http::TopicPosition> publish(std::string topic, std::string data,
                                                  http::TopicLimits limits) override;
  [[nodiscard]] Task<http::TopicHistory> history(std::string topic, std::uint64_t after) override;
  [[nodiscard]] Task<> join(std::string topic, std::string member) override;
  [[nodiscard]] Task<> leave(std::string topic, std::string member) override;
  [[nodiscard]] Task<std::vector<std::string>> members(std::string topic) override;
  [[nodiscard]] Task<bool> renew() override;
  [[nodiscard]] std::chrono::milliseconds lease_time() const noexcept override { return lease_time_; }

 private:
  const pg::Pool db_;
  const pg::PoolOptions options_;
  const std::chrono::milliseconds lease_time_;
  const std::string process_;
};

}  // namespace volt::topics
