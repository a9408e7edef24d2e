// SPDX-License-Identifier: MIT

// Tests of commands, and of connections that many tasks share, on a real server.
#include "redis/pool.h"

#include <algorithm>
#include <set>

#include "runtime/concurrent.h"
#include "runtime/scope.h"
#include "tests/redis/server.h"
#include "tests/support/waiting.h"

namespace volt::redis {
namespace {

using namespace test;
using volt::test::stress_rounds;

Task<> echo_often(Pool redis, int first, std::uint64_t count, std::shared_ptr<base::Atomic<int>> wrong) {
  for (std::uint64_t i = 0; i != count; ++i) {
    const std::string asked = std::to_string(first) + ":" + std::to_string(i);
    const Reply reply = co_await redis.command("ECHO", asked);
    if (reply.text != asked) wrong->fetch_add(1, base::relaxed);  // relaxed: the scope's end orders it
  }
}

// Asks with a short limit, over and over, so that replies are dropped at all times.
Task<> give_up_often(Pool redis, int rounds) {
  for (int i = 0; i != rounds; ++i) {
    const auto ask = [&] { return redis.command("ECHO", "dropped"); };
    static_cast<void>(co_await within(std::chrono::microseconds(i % 200), ask));
  }
}

}  // namespace

TEST_SUITE_BEGIN("redis/pool");

TEST_CASE("the typed commands do what their names say") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    co_await redis.command("FLUSHALL");
    co_await redis.set("a", "one");
    const auto a = co_await redis.get("a");
    CHECK(a == "one");
    const auto none = co_await redis.get("none");
    CHECK(!none);
    co_await redis.set("b", 7, 10min);
    const auto left = co_await redis.ttl("b");
    CHECK(left.value() > 9min);
    const auto forever = co_await redis.ttl("a");
    CHECK(!forever);
    const bool first = co_await redis.set_if_absent("c", "x", 10min);
    const bool second = co_await redis.set_if_absent("c", "y", 10min);
    CHECK(first);
    CHECK(!second);
    const auto counted = co_await redis.incr("b", 35);
    CHECK(counted == 42);
    const bool expires = co_await redis.expire("a", 10min);
    CHECK(expires);
    const bool existed = co_await redis.del("a");
    const bool gone = co_await redis.exists("a");
    CHECK(existed);
    CHECK(!gone);
  });
}

TEST_CASE("hashes, and replies of each kind, are converted") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    co_await redis.command("FLUSHALL");
    const bool fresh = co_await redis.hset("h", "name", "ann");
    CHECK(fresh);
    const auto visits = co_await redis.hincrby("h", "visits", 3);
    CHECK(visits == 3);
    const auto all = co_await redis.hgetall("h");
    CHECK(all == std::map<std::string, std::string>{{"name", "ann"}, {"visits", "3"}});
    const auto name = co_await redis.hget("h", "name");
    CHECK(name == "ann");
    const bool deleted = co_await redis.hdel("h", "name");
    CHECK(deleted);
    Command push("RPUSH", "list");
    for (const int number : {1, 2, 3}) push.add(number);
    const Reply size = co_await redis.send(std::move(push));
    CHECK(size.to<int>() == 3);
    const Reply list = co_await redis.command("LRANGE", "list", 0, -1);
    CHECK(list.to<std::vector<int>>() == std::vector<int>{1, 2, 3});
    CHECK(list.to<std::vector<double>>() == std::vector<double>{1, 2, 3});
    const Reply some = co_await redis.command("HMGET", "h", "name", "visits");
    CHECK(some.to<std::vector<std::optional<std::string>>>() == std::vector<std::optional<std::string>>{{}, "3"});
    CHECK_THROWS_AS(static_cast<void>(some.to<std::string>()), DecodeError);
    CHECK_THROWS_AS(static_cast<void>(some.to<std::vector<int>>()), DecodeError);
  });
}

TEST_CASE("any bytes and large values survive, over a unix socket, TCP and TLS") {
  std::vector<PoolOptions> ways{patient(1), patient(1)};
  ways[1].url = variable("TEST_REDIS_TCP_URL");
  if (const char* url = std::getenv("TEST_REDIS_TLS_URL")) {
    ways.push_back(patient(1));
    ways[2].url = url;
    ways[2].tls.authorities = variable("TEST_REDIS_CERTIFICATE");
  } else {
    MESSAGE("the server has no TLS: not tested");
  }
  for (PoolOptions& options : ways) {
    CAPTURE(options.url);
    with_pool(std::move(options), [](Pool& redis) -> Task<> {
      const std::string bytes("\0\r\n$-1\r\n\xff", 9);
      co_await redis.set(bytes, bytes);
      const auto same = co_await redis.get(bytes);
      CHECK(same == bytes);
      const std::string large(20'000'000, 'x');
      co_await redis.set("large", large);
      const auto got = co_await redis.get("large");
      CHECK(got == large);
      co_await redis.del("large");
    });
  }
}

TEST_CASE("thousands of commands of many tasks get their own replies, while others give up") {
  with_pool(patient(2), [](Pool& redis) -> Task<> {
    auto wrong = std::make_shared<base::Atomic<int>>(0);
    const std::uint64_t each = std::max<std::uint64_t>(20, stress_rounds(200));
    co_await with_scope([&](Scope& scope) -> Task<> {
      for (int task = 0; task != 50; ++task) scope.spawn(echo_often, redis, task, each, wrong);
      for (int task = 0; task != 5; ++task) scope.spawn(give_up_often, redis, static_cast<int>(each));
      co_return;
    });
    CHECK(wrong->load(base::relaxed) == 0);  // relaxed: the scope's end orders it
    CHECK(redis.state().connections <= 2);
    const bool drained = co_await becomes([&] { return redis.state().commands == 0; });
    CHECK(drained);
    const Reply errors = co_await redis.command("INFO", "clients");
    CHECK(errors.text.find("connected_clients:") != std::string::npos);
  });
}

TEST_CASE("a batch has a reply for each command, and a transaction is one step") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    co_await redis.command("FLUSHALL");
    Batch batch;
    for (int i = 0; i != 500; ++i) batch.add("INCR", "n");
    std::vector<Reply> replies = co_await redis.send(batch);
    REQUIRE(replies.size() == 500);
    for (int i = 0; i != 500; ++i) CHECK(replies[static_cast<std::size_t>(i)].to<int>() == i + 1);
    replies = co_await redis.transaction(batch);
    REQUIRE(replies.size() == 500);
    CHECK(replies.back().to<int>() == 1000);
    const std::vector<Reply> nothing = co_await redis.send(Batch());
    CHECK(nothing.empty());

    Batch wrong;  // fails while it is executed
    wrong.add("INCR", "n");
    wrong.add("LPUSH", "n", "x");
    wrong.add("INCR", "n");
    const auto type = co_await error_of<ServerError>(redis.transaction(wrong));
    CHECK(type.value().code() == "WRONGTYPE");
    Batch unknown;  // cannot be queued, so nothing of it is executed
    unknown.add("INCR", "n");
    unknown.add("NOSUCHCOMMAND");
    const auto error = co_await error_of<ServerError>(redis.transaction(unknown));
    CHECK(error.value().code() == "ERR");
    const auto n = co_await redis.get("n");
    CHECK(n == "1002");
  });
}

TEST_CASE("a script is sent once, and again after the server has forgotten it") {
  with_pool(patient(1), [](Pool& redis) -> Task<> {
    co_await redis.command("SCRIPT", "FLUSH");
    const Script script("return {KEYS[1], ARGV[1], ARGV[2] + 1}");
    for (int round = 0; round != 3; ++round) {
      if (round == 2) co_await redis.command("SCRIPT", "FLUSH");
      const Reply reply = co_await redis.eval(script, {"key"}, "text", 41);
      CHECK(reply.elements.at(0).text == "key");
      CHECK(reply.elements.at(2).to<int>() == 42);
    }
    const auto wrong = co_await error_of<ServerError>(redis.eval(Script("return nonsense("), {}));
    CHECK(wrong.value().code() == "ERR");
  });
}

TEST_CASE("the URL selects the user and the database") {
  PoolOptions options = patient(1);
  options.url = "redis://ann:se%3acret%2f@" + variable("TEST_REDIS_TCP_URL").substr(8) + "/3";
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    const Reply user = co_await redis.command("ACL", "WHOAMI");
    CHECK(user.text == "ann");
    const Reply client = co_await redis.command("CLIENT", "INFO");
    CHECK(client.text.find(" db=3 ") != std::string::npos);
  });
}

TEST_CASE("commands that shared connections do not support are rejected, and nothing is sent") {
  with_pool(patient(1), [](Pool& redis) -> Task<> {
    for (const char* name : {"multi", "SUBSCRIBE", "Select", "BLPOP", "auth", "WATCH", "QUIT"}) {
      const auto error = co_await error_of<Error>(redis.command(name, "x"));
      CAPTURE(name);
      CHECK(std::string(error.value().what()).find("is not for shared connections") != std::string::npos);
    }
    const auto reads = co_await error_of<Error>(redis.command("XREAD", "COUNT", 2, "block", 0, "STREAMS", "s", "$"));
    CHECK(reads);
    Batch batch;
    batch.add("PING");
    batch.add("CLIENT", "REPLY", "OFF");
    const auto off = co_await error_of<Error>(redis.send(batch));
    CHECK(off);
    CHECK(redis.state().connections == 0);
  });
}

TEST_CASE("a pool opens further connections for many commands, and closes unused ones") {
  PoolOptions options = patient(3);
  options.idle_timeout = 50ms;
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    co_await with_scope([&](Scope& scope) -> Task<> {
      auto wrong = std::make_shared<base::Atomic<int>>(0);
      for (int task = 0; task != 100; ++task) scope.spawn(echo_often, redis, task, 20, wrong);
      co_return;
    });
    const bool closed = co_await becomes([&] { return redis.state().connections == 0; });
    CHECK(closed);
    const Reply again = co_await redis.command("PING");
    CHECK(again.text == "PONG");
  });
}

TEST_CASE("a pool can be used by a second runtime, and outlives both") {
  Pool redis(patient(1));
  for (int round = 0; round != 2; ++round) {
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> {
      const Reply reply = co_await redis.command("PING");
      CHECK(reply.text == "PONG");
    });
  }
}

TEST_CASE("limits of 0 and malformed URLs are rejected") {
  CHECK_THROWS_AS(Pool{patient(0)}, std::invalid_argument);
  PoolOptions options = patient();
  options.url = "http://localhost";
  CHECK_THROWS_AS(Pool{options}, std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::redis
