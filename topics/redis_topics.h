// SPDX-License-Identifier: MIT

// RedisTopics: topics that all processes share that use the same Redis or Valkey server.
//
//   app.state(http::Topics<Line>({}, std::make_shared<topics::RedisTopics>(redis)));
//
// A script numbers each message, appends it to the list of the topic's last messages and publishes it, so that all
// processes have the same numbers and the same order. Rejected: a stream (XADD) per topic. The ids of its entries have
// holes, so a reader cannot see that entries are missing. Rejected: a channel per topic. Redis confirms a subscription
// only later, and messages could be missed until then. So each process receives the messages of all topics, and drops
// those of topics without subscribers.
//
// When the connection has been lost, the missed messages are read from the lists; if they are gone, subscribers get a
// gap. A server that evicts keys (maxmemory-policy) or forgets them at a restart begins topics at 1 again, which is a
// gap, too. A server that forgets only the last messages (appendfsync everysec, a failover) continues with older
// numbers: subscribers get a gap if their process asks before the number is reached again. So let the server run with
// `appendonly yes` and `appendfsync always` where no message may be missed. The list of an unused topic expires after
// TopicOptions::retention, and its number a day later.
//
// A process that ends without leaving is counted until its lease ends, at most half a minute later.
//
// Keys, under `prefix`: topic:T (epoch and last number), history:T, members:T, process:P, processes; the channel is
// `prefix` itself.
//
// Threads: any task of one runtime. Lifetime: keeps the pool open. Errors: redis/error.h. Requires Redis 6.2 or Valkey,
// without cluster mode.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "http/topics/topic_backend.h"
#include "redis/pool.h"

namespace volt::topics {

class RedisTopics final : public http::TopicBackend {
 public:
  explicit RedisTopics(redis::Pool redis,
                       std::string prefix = "topics:", std::chrono::milliseconds lease_time = std::chrono::seconds(30));

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
  [[nodiscard]] Task<redis::Reply> change_member(const redis::Script& script, std::string topic, std::string member);

  const redis::Pool redis_;
  const std::string prefix_;
  const std::chrono::milliseconds lease_time_;
  const std::string process_;
  const redis::Script publish_;
  const redis::Script history_;
  const redis::Script join_;
  const redis::Script leave_;
  const redis::Script renew_;
};

}  // namespace volt::topics
