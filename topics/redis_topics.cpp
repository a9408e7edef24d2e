// SPDX-License-Identifier: MIT

#include "topics/redis_topics.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "redis/error.h"
#include "topics/internal/wire.h"

namespace volt::topics {
namespace {

using http::TopicHistory;
using http::TopicPosition;
using redis::Reply;

// How much longer than its messages the number of a topic is kept.
constexpr std::chrono::milliseconds kNumberKept = std::chrono::hours(24);

// KEYS: the topic and its history. ARGV: topic, data, history_max, retention, time to keep the number, epoch if the
// topic is new, channel.
constexpr const char* kPublish = R"(
if redis.call('hsetnx', KEYS[1], 'epoch', ARGV[6]) == 1 then redis.call('del', KEYS[2]) end
local epoch = redis.call('hget', KEYS[1], 'epoch')
local last = redis.call('hincrby', KEYS[1], 'last', 1)
redis.call('pexpire', KEYS[1], ARGV[5])
if tonumber(ARGV[3]) > 0 then
  redis.call('rpush', KEYS[2], ARGV[2])
  redis.call('ltrim', KEYS[2], -tonumber(ARGV[3]), -1)
  redis.call('pexpire', KEYS[2], ARGV[4])
else
  redis.call('del', KEYS[2])
end
redis.call('publish', ARGV[7], 'm ' .. epoch .. ' ' .. last .. ' ' .. #ARGV[1] .. ' ' .. ARGV[1] .. '+' .. ARGV[2])
return {epoch, tostring(last)})";

// KEYS: the topic and its history. ARGV: the number after which to read, epoch if the topic is new, time to keep the
// number of a new topic.
constexpr const char* kHistory = R"(
if redis.call('hsetnx', KEYS[1], 'epoch', ARGV[2]) == 1 then
  redis.call('hset', KEYS[1], 'last', 0)
  redis.call('pexpire', KEYS[1], ARGV[3])
  redis.call('del', KEYS[2])
end
local last = tonumber(redis.call('hget', KEYS[1], 'last'))
local missing = last - tonumber(ARGV[1])
local records = {}
if missing > 0 then records = redis.call('lrange', KEYS[2], -missing, -1) end
return {redis.call('hget', KEYS[1], 'epoch'), tostring(last), records})";

// KEYS: members of the topic, topics and members of the process, the processes. ARGV: topic, member, process, channel.
constexpr const char* kJoin = R"(
if not redis.call('zscore', KEYS[3], ARGV[3]) then return 0 end
if redis.call('sadd', KEYS[2], #ARGV[1] .. ' ' .. ARGV[1] .. ARGV[2]) == 0 then return 1 end
if redis.call('hincrby', KEYS[1], ARGV[2], 1) == 1 then
  redis.call('publish', ARGV[4], 'j ' .. redis.call('hlen', KEYS[1]) .. ' 0 ' .. #ARGV[1] .. ' ' .. ARGV[1] .. '+' .. ARGV[2])
end
return 1)";

constexpr const char* kLeave = R"(
if redis.call('srem', KEYS[2], #ARGV[1] .. ' ' .. ARGV[1] .. ARGV[2]) == 0 then return 1 end
if redis.call('hincrby', KEYS[1], ARGV[2], -1) < 1 then
  redis.call('hdel', KEYS[1], ARGV[2])
  redis.call('publish', ARGV[4], 'l ' .. redis.call('hlen', KEYS[1]) .. ' 0 ' .. #ARGV[1] .. ' ' .. ARGV[1] .. '+' .. ARGV[2])
end
return 1)";

// KEYS: the processes. ARGV: process, lease time, prefix. Removes the members of processes whose lease has expired.
constexpr const char* kRenew = R"(
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local until_now = redis.call('zscore', KEYS[1], ARGV[1])
local kept = until_now and tonumber(until_now) > now
for _, process in ipairs(redis.call('zrangebyscore', KEYS[1], '-inf', now)) do
  local key = ARGV[3] .. 'process:' .. process
  for _, entry in ipairs(redis.call('smembers', key)) do
    local size, rest = string.match(entry, '^(%d+) (.*)$')
    local topic, member = string.sub(rest, 1, size), string.sub(rest, size + 1)
    local members = ARGV[3] .. 'members:' .. topic
    if redis.call('hincrby', members, member, -1) < 1 then
      redis.call('hdel', members, member)
      redis.call('publish', ARGV[3], 'l ' .. redis.call('hlen', members) .. ' 0 ' .. #topic .. ' ' .. topic .. '+' .. member)
    end
  end
  redis.call('del', key)
  redis.call('zrem', KEYS[1], process)
end
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
return kept and 1 or 0)";

std::uint64_t number_of(const Reply& reply) {
  return Reply{.kind = Reply::Kind::string, .text = reply.text}.to<std::uint64_t>();
}

TopicPosition position_of(const Reply& reply) {
  if (reply.elements.size() < 2) throw redis::DecodeError("a script of RedisTopics returned no position");
  return {.epoch = static_cast<std::uint32_t>(number_of(reply.elements[0])), .sequence = number_of(reply.elements[1])};
}

}  // namespace

RedisTopics::RedisTopics(redis::Pool redis, std::string prefix, std::chrono::milliseconds lease_time)
    : redis_(std::move(redis)),
      prefix_(std::move(prefix)),
      lease_time_(lease_time),
      process_(internal::random_process_name()),
      publish_(kPublish),
      history_(kHistory),
      join_(kJoin),
      leave_(kLeave),
      renew_(kRenew) {
  if (lease_time.count() <= 0) throw std::invalid_argument("the lease time of RedisTopics must be positive");
}

Task<> RedisTopics::run(http::TopicSink& sink) {
  std::vector<std::string> channels{prefix_};
  redis::Subscription subscription = co_await redis_.subscribe(std::move(channels));
  co_await sink.resume();
  for (;;) {
    const redis::Message message = co_await subscription.next();
    if (message.kind == redis::Message::Kind::back) co_await sink.resume();
    if (message.kind != redis::Message::Kind::text) continue;
    std::optional<internal::Announcement> announcement = internal::parse_announcement(message.text);
    if (announcement) co_await internal::pass_on(*std::move(announcement), *this, sink);
  }
}

Task<TopicPosition> RedisTopics::publish(std::string topic, std::string data, http::TopicLimits limits) {
  const std::vector<std::string> keys{prefix_ + "topic:" + topic, prefix_ + "history:" + topic};
  const std::int64_t retention_ms = std::max<std::int64_t>(1, std::chrono::milliseconds(limits.retention).count());
  const std::int64_t kept_ms = retention_ms + kNumberKept.count();
  const Reply reply = co_await redis_.eval(publish_, keys, topic, data, limits.history_max, retention_ms, kept_ms,
                                           internal::random_epoch(), prefix_);
  co_return position_of(reply);
}

Task<TopicHistory> RedisTopics::history(std::string topic, std::uint64_t after) {
  const std::vector<std::string> keys{prefix_ + "topic:" + topic, prefix_ + "history:" + topic};
  Reply reply = co_await redis_.eval(history_, keys, after, internal::random_epoch(), kNumberKept.count());
  TopicHistory history{.last = position_of(reply), .records = {}};
  std::vector<Reply> records = std::move(reply.elements.at(2).elements);
  TopicPosition position{.epoch = history.last.epoch, .sequence = history.last.sequence - records.size()};
  for (Reply& record : records) {
    ++position.sequence;
    history.records.push_back({.position = position, .data = std::move(record.text)});
  }
  co_return history;
}

Task<Reply> RedisTopics::change_member(const redis::Script& script, std::string topic, std::string member) {
  const std::vector<std::string> keys{prefix_ + "members:" + topic, prefix_ + "process:" + process_,
                                      prefix_ + "processes"};
  co_return co_await redis_.eval(script, keys, topic, member, process_, prefix_);
}

Task<> RedisTopics::join(std::string topic, std::string member) {
  const Reply reply = co_await change_member(join_, std::move(topic), std::move(member));
  if (reply.integer == 0) throw redis::Error("the lease of this process for members of topics has expired");
}

Task<> RedisTopics::leave(std::string topic, std::string member) {
  static_cast<void>(co_await change_member(leave_, std::move(topic), std::move(member)));
}

Task<std::vector<std::string>> RedisTopics::members(std::string topic) {
  Reply reply = co_await redis_.command("HKEYS", prefix_ + "members:" + topic);
  auto names = std::move(reply).to<std::vector<std::string>>();
  std::ranges::sort(names);
  co_return names;
}

Task<bool> RedisTopics::renew() {
  const std::vector<std::string> keys{prefix_ + "processes"};
  const Reply reply = co_await redis_.eval(renew_, keys, process_, lease_time_.count(), prefix_);
  co_return reply.integer == 1;
}

}  // namespace volt::topics
