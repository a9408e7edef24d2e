// SPDX-License-Identifier: MIT

// Tests of failures: refused commands, lost connections, restarts, slow servers, and servers that send nonsense.
#include <signal.h>

#include <cstdint>
#include <map>
#include <utility>

#include "redis/pool.h"
#include "runtime/concurrent.h"
#include "runtime/metric_sink.h"
#include "runtime/scope.h"
#include "tests/redis/server.h"
#include "tests/support/waiting.h"

namespace volt::redis {
namespace {

using namespace test;
using volt::test::Outcome;
using volt::test::outcome_of;

// The server keeps nothing when it restarts (tests/support/private_redis.py), so counters begin again.
enum class Server : std::uint8_t { stays, restarts };

struct Load {
  explicit Load(Server server_) : server(server_) {}
  const Server server;
  base::Atomic<bool> stop{false};
  base::Atomic<int> answered{0};
  base::Atomic<int> lost{0};
  base::Atomic<int> wrong{0};
  base::Atomic<int> unavailable{0};
};

// The knowledge that one task has of the counter that it alone increments.
class Counter {
 public:
  explicit Counter(Server server) : may_restart_(server == Server::restarts) {}
  void lose() noexcept { ++lost_; }

  // Returns whether `now` can follow: each increment was executed once, and each lost one at most once. After a restart
  // of the server, the first value is 1, whether or not this task was waiting for a reply at that time.
  [[nodiscard]] bool follows(std::int64_t now) noexcept {
    const bool next = last_ == 0 || (now > last_ && now <= last_ + lost_ + 1);
    const bool first = !next && now == 1 && std::exchange(may_restart_, false);
    last_ = now;
    lost_ = 0;
    return next || first;
  }

 private:
  bool may_restart_;
  std::int64_t last_ = 0;  // 0: unknown
  std::int64_t lost_ = 0;  // increments without a reply since then
};

// Increments a key of its own, over and over. Each reply must be that of its command: the tag, and the counter's value.
// Every other task pauses between its commands, so that some have none in progress when the server ends.
Task<> increment(Pool redis, std::string key, std::shared_ptr<Load> load) {
  Counter counter(load->server);
  const bool pauses = key.back() % 2 == 1;
  for (int round = 0; !load->stop.load(base::relaxed); ++round) {  // relaxed: any later round sees it
    try {
      const std::string tag = key + ":" + std::to_string(round);
      Batch batch;
      batch.add("ECHO", tag);
      batch.add("INCR", key);
      const std::vector<Reply> replies = co_await redis.send(std::move(batch));
      const bool right = replies.at(0).text == tag && counter.follows(replies.at(1).integer);
      if (!right) load->wrong.fetch_add(1, base::relaxed);  // relaxed: the scope's end orders it
      load->answered.fetch_add(1, base::relaxed);           // relaxed: a report
      if (pauses) co_await sleep_for(2ms);
    } catch (const ConnectionLost&) {
      load->lost.fetch_add(1, base::relaxed);  // relaxed: the scope's end orders it
      counter.lose();
    } catch (const Unavailable&) {
      load->unavailable.fetch_add(1, base::relaxed);  // relaxed: the scope's end orders it
    }
  }
}

int process_of(const Reply& info) { return std::stoi(info.text.substr(info.text.find("process_id:") + 11)); }

// Keeps each value of /metrics by its name and labels. A histogram counts its values.
class Values final : public MetricSink {
 public:
  explicit Values(const Pool& pool) { pool.report_metrics(*this); }
  void take(const Family& family, std::span<const MetricLabel> labels, double value) override {
    std::string key(family.name);
    for (const MetricLabel& label : labels) key += " " + std::string(label.value);
    values_[key] = value;
  }
  void take(const Family& family, std::span<const MetricLabel> labels, const HistogramValue& value) override {
    double count = 0;
    for (const std::uint64_t one : value.counts) count += static_cast<double>(one);
    take(family, labels, count);
  }
  [[nodiscard]] double at(const std::string& key) const {
    const auto found = values_.find(key);
    REQUIRE_MESSAGE(found != values_.end(), key);
    return found->second;
  }

 private:
  std::map<std::string, double> values_;
};

}  // namespace

TEST_SUITE_BEGIN("redis/failure");

TEST_CASE("a refused command is a ServerError, and the next command succeeds") {
  with_pool(patient(1), [](Pool& redis) -> Task<> {
    const auto unknown = co_await error_of<ServerError>(redis.command("NOSUCHCOMMAND"));
    CHECK(unknown.value().code() == "ERR");
    co_await redis.set("text", "x");
    const auto type = co_await error_of<ServerError>(redis.hget("text", "field"));
    CHECK(type.value().code() == "WRONGTYPE");
    const Reply reply = co_await redis.command("PING");
    CHECK(reply.text == "PONG");
  });
}

TEST_CASE("CLIENT KILL of a busy connection loses its commands only, and the pool reconnects") {
  with_pool(patient(1), [](Pool& redis) -> Task<> {
    Pool other(patient(1));
    for (int round = 0; round != 5; ++round) {
      const Reply id = co_await redis.command("CLIENT", "ID");
      auto load = std::make_shared<Load>(Server::stays);
      co_await with_scope([&](Scope& scope) -> Task<> {
        for (int i = 0; i != 8; ++i) {
          scope.spawn(increment, redis, "killed" + std::to_string(round * 8 + i), load);
        }
        const bool busy =
            co_await becomes([&] { return load->answered.load(base::relaxed) > 100; });  // relaxed: a hint
        CHECK(busy);
        const Reply killed = co_await other.command("CLIENT", "KILL", "ID", id.integer);
        CHECK(killed.integer == 1);
        const int before = load->answered.load(base::relaxed);  // relaxed: a hint
        const bool again = co_await becomes([&] { return load->answered.load(base::relaxed) > before + 100; });
        CHECK(again);
        load->stop.store(true, base::relaxed);  // relaxed: see increment()
      });
      CHECK(load->wrong.load(base::relaxed) == 0);  // relaxed: the scope's end orders it
      CHECK(load->unavailable.load(base::relaxed) == 0);
      const Reply next = co_await redis.command("CLIENT", "ID");
      CHECK(next.integer != id.integer);
    }
    CHECK(Values(redis).at("volt_redis_errors_total default connection_lost") == 5);
  });
}

TEST_CASE("a restart of the server under load loses what was in progress, and nothing else") {
  with_pool(patient(2), [](Pool& redis) -> Task<> {
    const Reply info = co_await redis.command("INFO", "server");
    const std::int64_t stored = co_await redis.incr("not stored", 5);
    CHECK(stored >= 5);
    auto load = std::make_shared<Load>(Server::restarts);
    co_await with_scope([&](Scope& scope) -> Task<> {
      for (int i = 0; i != 20; ++i) scope.spawn(increment, redis, "restarted" + std::to_string(i), load);
      const bool busy = co_await becomes([&] { return load->answered.load(base::relaxed) > 200; });  // relaxed: a hint
      CHECK(busy);
      CHECK(::kill(process_of(info), SIGKILL) == 0);
      const bool lost = co_await becomes([&] { return load->lost.load(base::relaxed) != 0; });  // relaxed: a hint
      CHECK(lost);
      const int before = load->answered.load(base::relaxed);  // relaxed: a hint
      const bool again = co_await becomes([&] { return load->answered.load(base::relaxed) > before + 200; });
      CHECK(again);
      load->stop.store(true, base::relaxed);  // relaxed: see increment()
    });
    CHECK(load->wrong.load(base::relaxed) == 0);        // relaxed: the scope's end orders it
    CHECK(load->unavailable.load(base::relaxed) == 0);  // the commands waited for the new server
    const Reply after = co_await redis.command("INFO", "server");
    CHECK(process_of(after) != process_of(info));
    const std::int64_t forgotten = co_await redis.incr("not stored");
    CHECK(forgotten == 1);  // what the counters of increment() rest on
  });
}

TEST_CASE("a command that times out leaves the order of the replies intact") {
  PoolOptions options = patient(1);
  options.command_timeout = 150ms;
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    const Pool other(patient(1));
    double lost = 0;
    bool kept = false;  // the late reply arrived before its connection was closed, which a slow machine may prevent
    for (int round = 0; !kept && round != 100; ++round) {
      co_await other.command("CLIENT", "PAUSE", 60'000, "WRITE");
      co_await error_of<Error>(redis.incr("late"));
      co_await other.command("CLIENT", "UNPAUSE");
      try {
        const Reply reply = co_await redis.command("ECHO", round);
        CHECK(reply.text == std::to_string(round));
        kept = Values(redis).at("volt_redis_errors_total default connection_lost") == lost;
      } catch (const CommandTimeout&) {  // retry: the server is slow
      } catch (const ConnectionLost&) {  // retry: likewise
      }
      lost = Values(redis).at("volt_redis_errors_total default connection_lost");
    }
    CHECK(kept);
    CHECK(Values(redis).at("volt_redis_errors_total default command_timeout") >= 1);
  });
}

TEST_CASE("a command that is cancelled leaves the order of the replies intact") {
  with_pool(patient(1), [](Pool& redis) -> Task<> {
    const Pool other(patient(1));
    co_await other.command("CLIENT", "PAUSE", 60'000, "WRITE");
    const auto increment = [&] { return redis.incr("paused"); };
    const Result<std::int64_t> cut = co_await within(20ms, increment);
    CHECK(!cut);
    co_await other.command("CLIENT", "UNPAUSE");
    const Reply reply = co_await redis.command("ECHO", "mine");
    CHECK(reply.text == "mine");
    CHECK(Values(redis).at("volt_redis_errors_total default connection_lost") == 0);
  });
}

TEST_CASE("a server that does not answer is left after command_timeout") {
  PoolOptions options = patient(1);
  options.command_timeout = 50ms;
  with_scripted({"+PONG\r\n"}, std::move(options), [](Pool& redis) -> Task<> {
    co_await error_of<CommandTimeout>(redis.command("GET", "x"));
    const bool left = co_await becomes([&] { return redis.state().connections == 0; });
    CHECK(left);
    CHECK(redis.state().commands == 0);
    CHECK(Values(redis).at("volt_redis_errors_total default command_timeout") == 1);
  });
}

TEST_CASE("what a hostile server sends ends the connection, not the process") {
  struct Case {
    const char* why;
    std::string answer;
    const char* error;  // part of the message
  };
  std::string nested;
  for (int depth = 0; depth != 100'000; ++depth) nested += "*1\r\n";
  const Case cases[] = {
      {"speaks HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", "Protocol error"},
      {"sends bytes", std::string("\0\xff\x80", 3), "Protocol error"},
      {"nests arrays", nested, ""},
      {"announces a huge array", "*2147483647\r\n", "larger than reply_bytes_max"},
      {"announces many huge arrays", "*1000\r\n*1000\r\n*1000\r\n", "larger than reply_bytes_max"},
      {"announces more than an array may have", "*99999999999999999999\r\n", ""},
      {"announces less", "*-2\r\n", ""},
      {"sends a large value", "$200000\r\n" + std::string(200'000, 'x') + "\r\n", "larger than reply_bytes_max"},
      {"sends an endless line", "+" + std::string(200'000, 'x'), "larger than reply_bytes_max"},
      {"sends many small values", "*100000\r\n", "larger than reply_bytes_max"},
      {"sends a number that is none", ":12x\r\n", ""},
      {"sends a type of RESP3", "%1\r\n+a\r\n:1\r\n", ""},
      {"sends a double", ",1.5\r\n", ""},
      {"sends two replies for one command", "+OK\r\n+OK\r\n", "a reply without a command"},
  };
  for (const auto& [why, answer, message] : cases) {
    CAPTURE(why);
    PoolOptions options = patient(1);
    options.reply_bytes_max = 100'000;
    with_scripted({"+PONG\r\n", answer}, std::move(options), [&](Pool& redis) -> Task<> {
      if (std::string_view(why) == "sends two replies for one command") {
        const Reply first = co_await redis.command("GET", "x");
        CHECK(first.text == "OK");
        const bool left = co_await becomes([&] { return redis.state().connections == 0; });
        CHECK(left);
        co_return;
      }
      const auto lost = co_await error_of<ConnectionLost>(redis.command("GET", "x"));
      CHECK_MESSAGE(std::string(lost.value().what()).find(message) != std::string::npos, lost.value().what());
    });
  }
}

TEST_CASE("half a reply, and one in single bytes, are waited for") {
  PoolOptions options = patient(1);
  options.command_timeout = 50ms;
  with_scripted({"+PONG\r\n", "$5\r\nhel"}, std::move(options), [](Pool& redis) -> Task<> {
    co_await error_of<CommandTimeout>(redis.command("GET", "x"));
    const bool left = co_await becomes([&] { return redis.state().connections == 0; });
    CHECK(left);
  });
}

TEST_CASE("a server that is missing, silent, loading or full is unavailable after acquire_timeout") {
  for (const std::string answer : {"", "-LOADING Redis is loading the dataset in memory\r\n",
                                   "-ERR max number of clients reached\r\n", "nonsense\r\n"}) {
    CAPTURE(answer);
    PoolOptions options = patient(1);
    options.connect_timeout = 30ms;
    options.acquire_timeout = 100ms;
    with_scripted({answer}, std::move(options), [](Pool& redis) -> Task<> {
      const auto error = co_await error_of<Unavailable>(redis.command("PING"));
      CHECK(std::string(error.value().what()).find("no connection") != std::string::npos);
      CHECK(Values(redis).at("volt_redis_errors_total default acquire_timeout") == 1);
      const bool counted =  // the attempt may end after the wait, on a slow machine
          co_await becomes([&] { return Values(redis).at("volt_redis_errors_total default connect") >= 1; });
      CHECK(counted);
    });
  }
  PoolOptions options = patient(1);
  options.url = "unix:///nonexistent/socket";
  options.acquire_timeout = 20ms;
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    co_await error_of<Unavailable>(redis.command("PING"));
    const bool failed =
        co_await becomes([&] { return Values(redis).at("volt_redis_errors_total default connect") >= 1; });
    CHECK(failed);
    const auto error = co_await error_of<Unavailable>(redis.command("PING"));
    CHECK(std::string(error.value().what()).find("/nonexistent/socket") != std::string::npos);
  });
}

TEST_CASE("a refused login is an error at once") {
  for (const char* login : {"ann:wrong@", "unknown:secret@"}) {
    PoolOptions options = patient(1);
    options.url = std::string("redis://") + login + variable("TEST_REDIS_TCP_URL").substr(8);
    with_pool(std::move(options), [](Pool& redis) -> Task<> {
      const auto error = co_await error_of<Unavailable>(redis.command("PING"));
      CHECK(std::string(error.value().what()).find("WRONGPASS") != std::string::npos);
    });
  }
  PoolOptions options = patient(1);
  options.url = variable("TEST_REDIS_TCP_URL") + "/9999";
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    const auto error = co_await error_of<Unavailable>(redis.command("PING"));
    CHECK(std::string(error.value().what()).find("DB index") != std::string::npos);
  });
}

TEST_CASE("a certificate that is not trusted is an error at once") {
  const char* url = std::getenv("TEST_REDIS_TLS_URL");
  if (url == nullptr) return;
  PoolOptions options = patient(1);
  options.url = url;
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    const auto error = co_await error_of<Unavailable>(redis.command("PING"));
    CHECK(std::string(error.value().what()).find("certificate") != std::string::npos);
  });
}

TEST_CASE("a full queue is an error at once, and a cancelled wait makes room") {
  PoolOptions options = patient(1);
  options.url = "unix:///nonexistent/socket";
  options.waiting_max = 2;
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    const auto ping = [](Pool pool) -> Task<> { co_await pool.command("PING"); };
    JoinHandle<void> first = spawn(ping, redis);
    JoinHandle<void> second = spawn(ping, redis);
    const bool both = co_await becomes([&] { return redis.state().waiting == 2; });
    CHECK(both);
    const auto full = co_await error_of<Unavailable>(redis.command("PING"));
    CHECK(std::string(full.value().what()) == "too many tasks wait for a connection");
    CHECK(Values(redis).at("volt_redis_errors_total default queue_full") == 1);
    first.cancel();
    second.cancel();
    for (JoinHandle<void>* waiting : {&first, &second}) {
      const Outcome outcome = co_await outcome_of(std::move(*waiting));
      CHECK(outcome == Outcome::cancelled);
    }
    const auto third = [&] { return redis.command("PING"); };
    const Result<Reply> cut = co_await within(20ms, third);  // it has room, so it waits
    CHECK(!cut);
  });
}

TEST_CASE("a small limit of bytes lets large commands pass one by one") {
  PoolOptions options = patient(1);
  options.pipeline_bytes_max = 1000;
  options.pipeline_max = 4;
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    const std::string large(100'000, 'x');
    const auto echo = [&]() -> Task<std::size_t> {
      const Reply reply = co_await redis.command("ECHO", large);
      co_return reply.text.size();
    };
    const auto [a, b, c, d] = co_await all(echo, echo, echo, echo);
    for (const std::size_t size : {a, b, c, d}) CHECK(size == large.size());
    CHECK(redis.state().commands == 0);
  });
}

TEST_CASE("a pool reports its connections and the durations of its commands") {
  PoolOptions options = patient(1);
  options.name = "cache";
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    co_await redis.command("PING");
    const Values values(redis);
    CHECK(values.at("volt_redis_connections cache idle") == 1);
    CHECK(values.at("volt_redis_connections cache in_use") == 0);
    CHECK(values.at("volt_redis_connections_max cache") == 1);
    CHECK(values.at("volt_redis_command_seconds cache") == 1);
    CHECK(values.at("volt_redis_wait_seconds cache") == 1);
    CHECK(values.at("volt_redis_waiting_tasks cache") == 0);
  });
}

TEST_SUITE_END();

}  // namespace volt::redis
