// SPDX-License-Identifier: MIT

// RedisSessions: sessions in Redis or Valkey, shared by all processes that use the same server.
//
//   redis::Pool redis(redis::options_from_environment());
//   app.use(http::sessions({.keys = keys, .store = std::make_shared<sessions::RedisSessions>(redis)}));
//
// Each session is a string with an expiry, under `prefix` in braces and a digest of its cookie: "{session:}..". The
// braces are a hash tag: on a Redis Cluster all sessions are on one node, to which the pool must connect, because a
// change of the cookie replaces one key by another in one script. The server's own limits bound the
// number: with `maxmemory-policy noeviction` a new session is refused when the memory is full (503); with another
// policy Redis ends sessions of its choice.
//
// Threads: any task. Lifetime: keeps the pool open. Errors: redis/error.h. Requires Redis 6.2 or Valkey.
#pragma once

#include <chrono>
#include <string>

#include "http/cookies/session_store.h"
#include "redis/pool.h"
#include "sessions/store_options.h"

namespace volt::sessions {

class RedisSessions final : public http::SessionStore {
 public:
  explicit RedisSessions(redis::Pool redis, StoreOptions options = {}, const std::string& prefix = "session:");

  [[nodiscard]] std::chrono::seconds idle_time() const noexcept override { return options_.idle_time; }
  [[nodiscard]] Task<std::optional<std::string>> load(std::string cookie) override;
  [[nodiscard]] Task<std::expected<std::string, http::cookies::SaveError>> save(
      std::string cookie, std::string data, http::cookies::Renewal renewal) override;
  Task<> remove(std::string cookie) override;

 private:
  const redis::Pool redis_;
  const StoreOptions options_;
  const std::string prefix_;  // with the braces
  const redis::Script rename_;
};

}  // namespace volt::sessions
