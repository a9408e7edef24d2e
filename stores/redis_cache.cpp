// SPDX-License-Identifier: MIT

#include "stores/redis_cache.h"

#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "redis/error.h"
#include "runtime/metric_sink.h"
#include "stores/internal/availability.h"
#include "stores/internal/response_codec.h"

namespace volt::stores {
namespace {

using http::CachedResponse;
using http::CacheStore;

constexpr int kRemovalsMax = 4096;  // tags whose removal is remembered

// KEYS[2] is the sorted set of removals: the member 't' and a tag has the number of its last removal as score, 'l' the
// number of the last removal, and 'f' that of the last one that was forgotten. Numbers are microseconds of the server's
// clock. A response from before 'f', or from before the removal of one of its tags, is deleted. Returns 'l', and then,
// if there is a response, its remaining milliseconds and its bytes.
constexpr const char* kLoad = R"(
local last = redis.call('zscore', KEYS[2], 'l')
if not last then
  local clock = redis.call('time')
  last = string.format('%.0f', clock[1] * 1000000 + clock[2])
  redis.call('zadd', KEYS[2], last, 'l', last, 'f')
end
local entry = redis.call('hmget', KEYS[1], 'sequence', 'tags', 'response')
if not entry[1] then return {last} end
if entry[1] ~= last then
  local sequence = tonumber(entry[1])
  local valid = sequence >= tonumber(redis.call('zscore', KEYS[2], 'f'))
  for tag in string.gmatch(entry[2], '[^\n]+') do
    local removed = redis.call('zscore', KEYS[2], 't' .. tag)
    if removed and tonumber(removed) > sequence then valid = false end
  end
  if not valid then
    redis.call('del', KEYS[1])
    return {last}
  end
end
return {last, redis.call('pttl', KEYS[1]), entry[3]})";

constexpr const char* kSave = R"(
redis.call('hset', KEYS[1], 'sequence', ARGV[1], 'tags', ARGV[2], 'response', ARGV[3])
redis.call('pexpire', KEYS[1], ARGV[4])
return 1)";

// KEYS[1] is the sorted set. Forgets the oldest removal beyond ARGV[2].
constexpr const char* kRemove = R"(
local clock = redis.call('time')
local now = clock[1] * 1000000 + clock[2]
local last = tonumber(redis.call('zscore', KEYS[1], 'l') or '0')
local number = string.format('%.0f', math.max(last + 1, now))
if last == 0 then redis.call('zadd', KEYS[1], number, 'f') end
redis.call('zadd', KEYS[1], number, 'l', number, 't' .. ARGV[1])
if redis.call('zcard', KEYS[1]) > tonumber(ARGV[2]) + 2 then
  local oldest = redis.call('zrange', KEYS[1], 1, 1, 'withscores')
  redis.call('zadd', KEYS[1], oldest[2], 'f')
  redis.call('zrem', KEYS[1], oldest[1])
end
return 1)";

std::string lines_of(const std::vector<std::string>& tags) {
  std::string lines;
  for (const std::string& tag : tags) lines.append(tag).append("\n");
  return lines;
}

}  // namespace

RedisCache::RedisCache(redis::Pool redis, RedisCacheOptions options)
    : redis_(std::move(redis)),
      options_(std::move(options)),
      removals_("{" + options_.prefix + "}:removed"),
      load_(kLoad),
      save_(kSave),
      remove_(kRemove),
      availability_(std::make_unique<Availability>(options_.retry_after, "responses are not cached")) {
  if (options_.prefix.find_first_of("{}") != std::string::npos) {
    throw std::invalid_argument("RedisCache: the prefix has a brace");
  }
  if (options_.timeout.count() <= 0 || options_.retry_after.count() <= 0) {
    throw std::invalid_argument("RedisCache: timeout and retry_after must be positive");
  }
}

RedisCache::~RedisCache() = default;

std::string RedisCache::key_in_redis(const std::string& key) const {
  const crypto::Sha256 digest = crypto::sha256(key);
  return "{" + options_.prefix + "}:" + crypto::base64url_encode(digest);
}

Task<CacheStore::Lookup> RedisCache::load(std::string key) {
  std::optional<Lookup> found = co_await attempt(*availability_, options_.timeout, [&] { return ask(key); });
  if (found) co_return std::move(*found);
  co_return Lookup{};
}

Task<CacheStore::Lookup> RedisCache::ask(std::string key) {
  const std::vector<std::string> keys{key_in_redis(key), removals_};
  const redis::Reply reply = co_await redis_.eval(load_, keys);
  if (reply.elements.empty()) throw redis::DecodeError("the script of the cache returned no sequence");
  Lookup found{.sequence = reply.elements[0].to<std::uint64_t>()};
  if (reply.elements.size() != 3) co_return found;
  std::optional<CachedResponse> response = decode_response(reply.elements[2].text);
  if (!response) co_return found;
  found.since_save = response->keep_for() - std::chrono::milliseconds(reply.elements[1].to<std::int64_t>());
  found.response = std::make_shared<const CachedResponse>(std::move(*response));
  co_return found;
}

Task<> RedisCache::save(std::string key, std::shared_ptr<const CachedResponse> response, std::uint64_t sequence) {
  if (sequence == 0) co_return;  // the look-up found no server, so a removal could have been missed
  static_cast<void>(co_await attempt(*availability_, options_.timeout, [&] { return send(key, response, sequence); }));
}

// Returns whether the server has the memory for the response.
Task<bool> RedisCache::send(std::string key, std::shared_ptr<const CachedResponse> response, std::uint64_t sequence) {
  const std::vector<std::string> keys{key_in_redis(key)};
  const std::string tags = lines_of(response->tags);
  const std::string bytes = encode_response(*response);
  const std::int64_t keep_ms = std::chrono::milliseconds(response->keep_for()).count();
  try {
    const redis::Reply reply = co_await redis_.eval(save_, keys, sequence, tags, bytes, keep_ms);
    co_return reply.to<bool>();
  } catch (const redis::ServerError& error) {
    if (error.code() != "OOM") throw;
  }
  co_return false;
}

Task<> RedisCache::remove(std::string tag) {
  const std::vector<std::string> keys{removals_};
  static_cast<void>(co_await redis_.eval(remove_, keys, tag, kRemovalsMax));
}

void RedisCache::report_metrics(MetricSink& sink, std::string_view cache) const {
  sink.gauge("volt_http_cache_store_available", "Whether responses are cached in the shared store.", {{"cache", cache}},
             availability_->available() ? 1 : 0);
  sink.counter("volt_http_cache_store_fallbacks_total", "Look-ups and saves that were made without the store.",
               {{"cache", cache}}, availability_->fallbacks());
}

}  // namespace volt::stores
