// SPDX-License-Identifier: MIT

// Pool: connections to one Redis or Valkey server, shared by all tasks.
//
// Tasks share connections: the commands of several tasks are sent on one connection without waiting for earlier replies
// (pipelining), and all that is queued when the connection's writer runs leaves in one write. Replies arrive in the
// order of the commands. A command is sent on the connection with the fewest commands in progress. If each has many, or
// its limits are reached, another connection is opened.
//
// A task that stops waiting for its reply, because it is canceled or its command timed out, does not disturb other
// tasks: the reply is dropped when it arrives.
//
// Commands that change the state of a connection, or block it, are rejected with Error: use transaction() instead of
// MULTI, subscribe() instead of SUBSCRIBE, and PoolOptions::url instead of AUTH and SELECT. WATCH is replaced by a
// Script. BLPOP and its kind would keep the commands of other tasks waiting.
//
// When the server closes a connection, the commands in progress on it fail (ConnectionLost), because the server may
// have executed them. Other commands wait while the pool reconnects, for up to PoolOptions::acquire_timeout; at most
// waiting_max of them, beyond which a command fails at once (Unavailable). The pauses between two attempts grow from
// backoff_min to backoff_max. If the server refuses the user, the password or the database, or its certificate does
// not verify, waiting commands fail at once. If no connection is left and an attempt fails, the log says once that the
// server is lost, and once that it is back (module `redis`).
//
// Traces: in a task whose current span is recorded (tracing/span.h), each command, batch and transaction is a span. It
// has the command's name, but no arguments.
//
// Threads: any task of one runtime. Lifetime: a handle to shared state. Destroying the last handle closes the
// connections; subscriptions live on. Each connection has two tasks, which end with it. Memory: per connection two
// frames, a descriptor, a buffer of 32 KiB, and what is in progress on it.
// Errors: redis/error.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis/batch.h"
#include "redis/command.h"
#include "redis/options.h"
#include "redis/reply.h"
#include "redis/script.h"
#include "redis/subscription.h"
#include "runtime/task.h"

namespace volt {
class MetricSink;
}

namespace volt::redis {

namespace internal {
class ConnectionPool;
}

// A snapshot of a pool.
struct PoolState {
  std::size_t connections = 0;    // open connections, without those of subscriptions
  std::size_t in_use = 0;         // open connections with commands in progress
  std::size_t connecting = 0;     // connections that are being opened
  std::size_t commands = 0;       // commands in progress (a batch counts as one)
  std::size_t waiting = 0;        // tasks that wait for a connection
  std::size_t subscriptions = 0;  // subscriptions made with the pool
};

class Pool {
 public:
  // Connects on the first command. Throws std::invalid_argument if the URL is malformed, or connections_max,
  // pipeline_max or subscription_queue_max is 0.
  explicit Pool(PoolOptions options);

  // Sends any command, and returns its reply; command("SET", key, value) has the arguments of Command.
  template <class... Args>
  [[nodiscard]] Task<Reply> command(std::string_view name, const Args&... args) const {
    return send(Command(name, args...));
  }
  [[nodiscard]] Task<Reply> send(Command command) const;
  // Returns the replies in order. If commands fail, throws the error of the first one after all have completed.
  [[nodiscard]] Task<std::vector<Reply>> send(Batch batch) const;
  // Sends the batch between MULTI and EXEC: the server executes all commands without others in between, or, if it
  // cannot queue one of them, none. A command that fails during the execution undoes nothing. Returns and throws as
  // send() does.
  [[nodiscard]] Task<std::vector<Reply>> transaction(Batch batch) const;
  // Runs a script; see redis/script.h.
  template <class... Args>
  [[nodiscard]] Task<Reply> eval(const Script& script, const std::vector<std::string>& keys,
                                 const Args&... args) const {
    Command rest(std::to_string(keys.size()));
    for (const std::string& key : keys) rest.add(key);
    (rest.add(args), ...);
    return run_script(script, std::move(rest));
  }

  // Strings. `ttl`: the key disappears after this time; without it, never.
  [[nodiscard]] Task<std::optional<std::string>> get(std::string_view key) const {
    return as<std::optional<std::string>>(command("GET", key));
  }
  template <class Value>
  Task<> set(std::string_view key, const Value& value) const {
    return ended(command("SET", key, value));
  }
  template <class Value>
  Task<> set(std::string_view key, const Value& value, std::chrono::milliseconds ttl) const {
    return ended(command("SET", key, value, "PX", ttl.count()));
  }
  // Sets the key if it does not exist. Returns whether it was set.
  template <class Value>
  [[nodiscard]] Task<bool> set_if_absent(std::string_view key, const Value& value,
                                         std::chrono::milliseconds ttl) const {
    return is_not_nil(command("SET", key, value, "PX", ttl.count(), "NX"));
  }
  // Adds to the integer at `key`, which begins as 0, and returns the sum.
  Task<std::int64_t> incr(std::string_view key, std::int64_t by = 1) const {
    return as<std::int64_t>(command("INCRBY", key, by));
  }

  // Keys of any type. Each returns whether the key existed.
  Task<bool> del(std::string_view key) const { return as<bool>(command("DEL", key)); }
  [[nodiscard]] Task<bool> exists(std::string_view key) const { return as<bool>(command("EXISTS", key)); }
  Task<bool> expire(std::string_view key, std::chrono::milliseconds ttl) const {
    return as<bool>(command("PEXPIRE", key, ttl.count()));
  }
  // Returns the time until the key disappears; nothing if it does not exist or has no such time.
  [[nodiscard]] Task<std::optional<std::chrono::milliseconds>> ttl(std::string_view key) const {
    return ttl_of(command("PTTL", key));
  }

  // Hashes. hset() and hdel() return whether the field was new, or existed.
  template <class Value>
  Task<bool> hset(std::string_view key, std::string_view field, const Value& value) const {
    return as<bool>(command("HSET", key, field, value));
  }
  [[nodiscard]] Task<std::optional<std::string>> hget(std::string_view key, std::string_view field) const {
    return as<std::optional<std::string>>(command("HGET", key, field));
  }
  [[nodiscard]] Task<std::map<std::string, std::string>> hgetall(std::string_view key) const {
    return as<std::map<std::string, std::string>>(command("HGETALL", key));
  }
  Task<bool> hdel(std::string_view key, std::string_view field) const { return as<bool>(command("HDEL", key, field)); }
  Task<std::int64_t> hincrby(std::string_view key, std::string_view field, std::int64_t by) const {
    return as<std::int64_t>(command("HINCRBY", key, field, by));
  }

  // Publishes a message; returns how many clients of the server received it.
  Task<std::int64_t> publish(std::string_view channel, std::string_view message) const {
    return as<std::int64_t>(command("PUBLISH", channel, message));
  }
  // Subscribes to channels, on a connection of its own. Returns when the server has confirmed all of them. Errors:
  // Unavailable; std::invalid_argument if `channels` is empty.
  [[nodiscard]] Task<Subscription> subscribe(std::vector<std::string> channels) const;
  // Subscribes to all channels that match one of the patterns, such as "news.*" (PSUBSCRIBE).
  [[nodiscard]] Task<Subscription> subscribe_to_patterns(std::vector<std::string> patterns) const;

  // Returns a snapshot. May be called from any thread.
  [[nodiscard]] PoolState state() const;

  // Reports the volt_redis_.. metrics (runtime/metric_sink.h). May be called from any thread. A pool that the app owns
  // as state reports by itself; for others: `app.metrics().add(pool)`.
  void report_metrics(MetricSink& sink) const;

 private:
  [[nodiscard]] Task<Reply> run_script(Script script, Command rest) const;

  template <class T>
  static Task<T> as(Task<Reply> pending) {
    Reply reply = co_await std::move(pending);
    co_return std::move(reply).template to<T>();
  }
  static Task<> ended(Task<Reply> pending);
  static Task<bool> is_not_nil(Task<Reply> pending);
  static Task<std::optional<std::chrono::milliseconds>> ttl_of(Task<Reply> pending);

  std::shared_ptr<internal::ConnectionPool> pool_;
};

}  // namespace volt::redis
