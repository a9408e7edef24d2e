// SPDX-License-Identifier: MIT

#include "sessions/redis_sessions.h"

#include <utility>

#include "http/cookies/session_id.h"
#include "redis/error.h"
#include "sessions/internal/planned_save.h"

namespace volt::sessions {
namespace {

using http::cookies::Renewal;
using http::cookies::SaveError;
using http::cookies::session_name;

// Replaces the session KEYS[1] by KEYS[2], unless it has ended.
constexpr const char* kRename = R"(
if redis.call('del', KEYS[1]) == 0 then return 0 end
redis.call('set', KEYS[2], ARGV[1], 'px', ARGV[2])
return 1)";

std::int64_t milliseconds(std::chrono::seconds time) { return std::chrono::milliseconds(time).count(); }

// Whether the server refused the command because its memory is full. Other errors are thrown again.
Task<bool> has_memory_for(Task<redis::Reply> pending, redis::Reply& reply) {
  try {
    reply = co_await std::move(pending);
    co_return true;
  } catch (const redis::ServerError& error) {
    if (error.code() != "OOM") throw;
  }
  co_return false;
}

}  // namespace

RedisSessions::RedisSessions(redis::Pool redis, StoreOptions options, const std::string& prefix)
    : redis_(std::move(redis)), options_(options), prefix_("{" + prefix + "}"), rename_(kRename) {}

Task<std::optional<std::string>> RedisSessions::load(std::string cookie) {
  const std::optional<std::string> name = session_name(cookie);
  if (!name) co_return std::nullopt;
  const redis::Reply reply = co_await redis_.command("GETEX", prefix_ + *name, "PX", milliseconds(options_.idle_time));
  co_return reply.to<std::optional<std::string>>();
}

Task<std::expected<std::string, SaveError>> RedisSessions::save(std::string cookie, std::string data, Renewal renewal) {
  const auto plan = plan_save(cookie, data, renewal, options_);
  if (!plan) co_return std::unexpected(plan.error());
  const std::string key = prefix_ + plan->name;
  const std::int64_t idle_ms = milliseconds(options_.idle_time);
  redis::Reply reply;
  bool has_memory = false;
  if (plan->old_name.empty() || plan->old_name == plan->name) {
    const std::string condition = plan->old_name.empty() ? "NX" : "XX";
    has_memory = co_await has_memory_for(redis_.command("SET", key, data, "PX", idle_ms, condition), reply);
  } else {
    const std::vector<std::string> keys{prefix_ + plan->old_name, key};
    has_memory = co_await has_memory_for(redis_.eval(rename_, keys, data, idle_ms), reply);
  }
  if (!has_memory) co_return std::unexpected(SaveError::full);
  const bool gone = reply.is_nil() || (reply.kind == redis::Reply::Kind::integer && reply.integer == 0);
  if (gone) co_return std::unexpected(SaveError::gone);
  co_return plan->cookie;
}

Task<> RedisSessions::remove(std::string cookie) {
  const std::optional<std::string> name = session_name(cookie);
  if (name) co_await redis_.del(prefix_ + *name);
}

}  // namespace volt::sessions
