// SPDX-License-Identifier: MIT

// The part of redis_client.py that uses volt::redis: reads one key over and over.
//
//   redis_driver URL TASKS BATCH COMMANDS uring|epoll
//
// TASKS tasks share one connection and one worker, and send COMMANDS commands in all. Each waits for its reply before
// it sends the next command, or the next BATCH commands if BATCH is not 1. A tenth of the commands is sent before, to
// warm up. Prints one line of JSON: commands per second, the processor time of this process per command, and the 99th
// percentile of the time from a command, or a batch, to its replies; times are in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loadtest/micro/rows/figures.h"
#include "redis/redis.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"

namespace {

using namespace volt;

constexpr std::string_view kKey = "key:__rand_int__";  // that of redis-benchmark without --random-key

struct Load {
  redis::Pool pool;
  int tasks;
  int batch;
  int rounds;  // of each task
};

void require_value(const redis::Reply& reply) {
  if (reply.is_nil()) throw std::runtime_error("the key does not exist");
}

Task<> read_one(const redis::Pool& pool) {
  const redis::Reply reply = co_await pool.command("GET", kKey);
  require_value(reply);
}

Task<> read_batch(const redis::Pool& pool, int count) {
  redis::Batch batch;
  for (int i = 0; i != count; ++i) batch.add("GET", kKey);
  const std::vector<redis::Reply> replies = co_await pool.send(std::move(batch));
  for (const redis::Reply& reply : replies) require_value(reply);
}

Task<> read_often(Load load, std::shared_ptr<std::vector<double>> took_ns) {
  for (int round = 0; round != load.rounds; ++round) {
    const auto began = std::chrono::steady_clock::now();
    if (load.batch == 1) {
      co_await read_one(load.pool);
    } else {
      co_await read_batch(load.pool, load.batch);
    }
    took_ns->push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count());
  }
}

// Returns the time of each round. One worker runs all tasks, so they may share the vector.
Task<std::vector<double>> read_in_tasks(Load load) {
  const auto took_ns = std::make_shared<std::vector<double>>();
  took_ns->reserve(static_cast<std::size_t>(load.tasks) * static_cast<std::size_t>(load.rounds));
  co_await with_scope([&](Scope& scope) -> Task<> {
    for (int task = 0; task != load.tasks; ++task) scope.spawn(read_often, load, took_ns);
    co_return;
  });
  co_return std::move(*took_ns);
}

Task<> measure(Load load) {
  Load warm_up = load;
  warm_up.rounds = load.rounds / 10 + 1;
  static_cast<void>(co_await read_in_tasks(std::move(warm_up)));
  const int commands = load.tasks * load.batch * load.rounds;
  const std::int64_t cpu_ns = rows::process_cpu_ns();
  const auto began = std::chrono::steady_clock::now();
  std::vector<double> took_ns = co_await read_in_tasks(std::move(load));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  const auto used_ns = static_cast<double>(rows::process_cpu_ns() - cpu_ns);
  std::printf(R"({"commands_per_s": %.0f, "cpu_us": %.3f, "p99_us": %.1f})"
              "\n",
              commands / seconds.count(), used_ns / commands / 1e3, rows::percentile(std::move(took_ns), 0.99) / 1e3);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::fputs("usage: redis_driver URL TASKS BATCH COMMANDS uring|epoll\n", stderr);
    return 2;
  }
  const int tasks = std::max(1, std::atoi(arguments[2]));
  const int batch = std::max(1, std::atoi(arguments[3]));
  const int commands = std::atoi(arguments[4]);
  const bool uring = std::string_view(arguments[5]) == "uring";
  Runtime runtime({.workers = 1, .io = uring ? IoEngine::uring : IoEngine::epoll});
  runtime.block_on([&]() -> Task<> {
    redis::PoolOptions options;
    options.url = arguments[1];
    options.connections_max = 1;
    Load load{.pool = redis::Pool(options), .tasks = tasks, .batch = batch, .rounds = commands / tasks / batch + 1};
    co_await measure(std::move(load));
  });
}
