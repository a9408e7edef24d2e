// SPDX-License-Identifier: MIT

#include "redis/pool.h"

#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "redis/error.h"
#include "redis/internal/command_span.h"
#include "redis/internal/connection_pool.h"
#include "redis/internal/exchange.h"
#include "redis/internal/listener.h"
#include "redis/internal/reply_reader.h"

namespace volt::redis {
namespace {

using internal::CommandSpan;
using internal::ConnectionPool;

// Exchanges the commands as a span with the name `name`.
Task<std::vector<Reply>> exchange_traced(std::shared_ptr<ConnectionPool> pool, std::string_view name, std::string bytes,
                                         std::size_t commands) {
  CommandSpan span(name, commands, pool->connector()->target());
  try {
    std::vector<Reply> replies = co_await internal::exchange(std::move(pool), std::move(bytes), commands);
    internal::check_replies(replies);
    co_return replies;
  } catch (const ServerError& error) {
    span.fail(error.code(), error.what());
    throw;
  } catch (const Error& error) {
    span.fail({}, error.what());
    throw;
  }
}

Task<Reply> send_one(std::shared_ptr<ConnectionPool> pool, Command command) {
  std::string bytes;
  internal::format(command, bytes);
  std::vector<Reply> replies = co_await exchange_traced(std::move(pool), command[0], std::move(bytes), 1);
  co_return std::move(replies.front());
}

Command with_arguments(Command command, const Command& arguments) {
  for (std::size_t i = 0; i != arguments.size(); ++i) command.add(arguments[i]);
  return command;
}

constexpr std::size_t kArgumentOverhead = 16;  // about what the protocol adds to an argument

std::string formatted(const Batch& batch, std::string bytes = {}) {
  std::size_t arguments_bytes = 0;
  for (const Command& command : batch.commands()) {
    for (std::size_t i = 0; i != command.size(); ++i) arguments_bytes += command[i].size() + kArgumentOverhead;
  }
  bytes.reserve(bytes.size() + arguments_bytes);
  for (const Command& command : batch.commands()) {
    internal::check_shareable(command);
    internal::format(command, bytes);
  }
  return bytes;
}

constexpr std::string_view kMulti = "*1\r\n$5\r\nMULTI\r\n";
constexpr std::string_view kExec = "*1\r\n$4\r\nEXEC\r\n";

}  // namespace

Pool::Pool(PoolOptions options) {
  if (options.connections_max == 0 || options.pipeline_max == 0 || options.subscription_queue_max == 0) {
    throw std::invalid_argument("connections_max, pipeline_max and subscription_queue_max must be at least 1");
  }
  auto connector = std::make_shared<internal::Connector>(std::move(options));
  pool_ = database::closing_handle(std::make_shared<ConnectionPool>(std::move(connector)));
}

PoolState Pool::state() const { return pool_->state(); }

void Pool::report_metrics(MetricSink& sink) const { pool_->report_metrics(sink); }

Task<Reply> Pool::send(Command command) const {
  const std::shared_ptr<ConnectionPool> pool = pool_;
  internal::check_shareable(command);
  co_return co_await send_one(pool, std::move(command));
}

Task<std::vector<Reply>> Pool::send(Batch batch) const {
  const std::shared_ptr<ConnectionPool> pool = pool_;
  const std::size_t commands = batch.commands().size();
  if (commands == 0) co_return std::vector<Reply>{};
  co_return co_await exchange_traced(pool, "batch", formatted(batch), commands);
}

Task<std::vector<Reply>> Pool::transaction(Batch batch) const {
  const std::shared_ptr<ConnectionPool> pool = pool_;
  const std::size_t commands = batch.commands().size();
  if (commands == 0) co_return std::vector<Reply>{};
  std::string bytes = formatted(batch, std::string(kMulti));
  bytes += kExec;
  std::vector<Reply> replies = co_await exchange_traced(pool, "MULTI", std::move(bytes), commands + 2);
  std::vector<Reply> results = decode::elements(std::move(replies.back()), false);
  internal::check_replies(results);
  co_return results;
}

Task<Reply> Pool::run_script(Script script, Command rest) const {
  const std::shared_ptr<ConnectionPool> pool = pool_;
  try {
    co_return co_await send_one(pool, with_arguments(Command("EVALSHA", script.digest()), rest));
  } catch (const ServerError& error) {  // decided: a script that the server does not know is sent in full
    if (error.code() != "NOSCRIPT") throw;
  }
  co_return co_await send_one(pool, with_arguments(Command("EVAL", script.text()), rest));
}

Task<> Pool::ended(Task<Reply> pending) { co_await std::move(pending); }

Task<bool> Pool::is_not_nil(Task<Reply> pending) {
  const Reply reply = co_await std::move(pending);
  co_return !reply.is_nil();
}

Task<std::optional<std::chrono::milliseconds>> Pool::ttl_of(Task<Reply> pending) {
  const Reply reply = co_await std::move(pending);
  const auto left = reply.to<std::int64_t>();
  if (left < 0) co_return std::nullopt;  // -2: no key; -1: no limit
  co_return std::chrono::milliseconds(left);
}

Task<Subscription> Pool::subscribe(std::vector<std::string> channels) const {
  co_return co_await internal::Listener::start(pool_->connector(), pool_->statistics(), std::move(channels), false);
}

Task<Subscription> Pool::subscribe_to_patterns(std::vector<std::string> patterns) const {
  co_return co_await internal::Listener::start(pool_->connector(), pool_->statistics(), std::move(patterns), true);
}

}  // namespace volt::redis
