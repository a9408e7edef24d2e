// SPDX-License-Identifier: MIT

// Umbrella header of volt::redis: a client of Redis and Valkey that does not block workers.
//
//   volt::redis::Pool redis(volt::redis::options_from_environment());              // REDIS_URL
//   co_await redis.set("greeting", "hello", 10min);
//   std::optional<std::string> greeting = co_await redis.get("greeting");
//   std::int64_t visits = co_await redis.incr("visits");
//   redis::Reply members = co_await redis.command("SMEMBERS", "team");            // any other command
//
//   redis::Batch batch;                                                            // one round trip
//   batch.add("LPUSH", "jobs", job);
//   batch.add("EXPIRE", "jobs", 60);
//   std::vector<redis::Reply> replies = co_await redis.transaction(std::move(batch));   // MULTI and EXEC
//
//   redis::Subscription news = co_await redis.subscribe({"news"});
//   redis::Message message = co_await news.next();
#pragma once

#include "redis/batch.h"
#include "redis/command.h"
#include "redis/error.h"
#include "redis/options.h"
#include "redis/pool.h"
#include "redis/reply.h"
#include "redis/script.h"
#include "redis/subscription.h"
