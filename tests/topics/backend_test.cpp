// SPDX-License-Identifier: MIT

// The suite that each backend of topics must pass, run with each of them on real servers: two Topics stand for two
// processes.
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/topics/topics.h"
#include "pg/options.h"
#include "redis/options.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/topic_events.h"
#include "topics/internal/wire.h"
#include "topics/pg_topics.h"
#include "topics/redis_topics.h"

namespace volt::topics {
namespace {

using namespace std::chrono_literals;
using http::SubscribeOptions;
using http::TopicEvent;
using http::TopicOptions;
using http::TopicPosition;
using http::TopicSubscription;
using test::next_of;
using Kind = TopicEvent::Kind;
using Strings = std::vector<std::string>;
using Process = http::Topics<std::string>;

// A backend on a test's own server. `make` may be called several times, and `cut` ends the connections of all.
struct BackendKind {
  const char* name;
  std::function<Task<std::shared_ptr<http::TopicBackend>>(std::chrono::milliseconds)> make;
  std::function<Task<>()> cut;
};

Task<std::shared_ptr<http::TopicBackend>> in_redis(std::chrono::milliseconds lease_time) {
  co_return std::make_shared<RedisTopics>(redis::Pool(redis::options_from_environment()), "topics:", lease_time);
}
Task<> cut_redis() {
  const redis::Pool redis(redis::options_from_environment());
  co_await redis.command("CLIENT", "KILL", "TYPE", "pubsub");
}

Task<std::shared_ptr<http::TopicBackend>> in_postgres(std::chrono::milliseconds lease_time) {
  const pg::PoolOptions options = pg::options_from_environment();
  const pg::Pool db(options);
  const auto create = [&] { return PgTopics::create_tables(db); };
  co_await all(create, create);  // as two processes do that start together
  co_return std::make_shared<PgTopics>(db, options, lease_time);
}
Task<> cut_postgres() {
  const pg::Pool db(pg::options_from_environment());
  co_await db.execute(
      "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and pid <> pg_backend_pid()");
}

const BackendKind kBackendKinds[] = {{"Redis", in_redis, cut_redis}, {"PostgreSQL", in_postgres, cut_postgres}};

// Runs the coroutine `body(kind, topic)` with each backend, on a topic that no other test has.
template <class Body>
void with_each_backend(Body body) {
  REQUIRE_MESSAGE(std::getenv("REDIS_URL") != nullptr, "run the tests with tests/support/private_redis.py");
  REQUIRE_MESSAGE(std::getenv("DATABASE_URL") != nullptr, "and with tests/support/private_postgres.py");
  for (const BackendKind& kind : kBackendKinds) {
    CAPTURE(kind.name);
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> { co_await body(kind, internal::random_process_name()); });
  }
}

Task<std::unique_ptr<Process>> start_process(const BackendKind& kind, TopicOptions options = {},
                                             std::chrono::milliseconds lease_time = 30s) {
  std::shared_ptr<http::TopicBackend> backend = co_await kind.make(lease_time);
  co_return std::make_unique<Process>(options, std::move(backend));
}

// Repeats `question` until its result is `wanted`, and returns the last result.
template <class T>
Task<T> becomes(std::function<Task<T>()> question, T wanted) {
  T last = co_await question();
  for (int round = 0; round != 3000 && last != wanted; ++round) {
    co_await sleep_for(10ms);
    last = co_await question();
  }
  co_return last;
}

// Whether the lease of the process has not expired, so that it could join.
Task<bool> tries_to_join(http::TopicBackend& process, std::string topic, std::string member) {
  try {
    co_await process.join(topic, member);
    co_return true;
  } catch (const std::runtime_error&) {
  }
  co_return false;
}

// On a loaded machine, the lease may expire between the two.
Task<> renew_and_join(http::TopicBackend& process, std::string topic, std::string member) {
  for (bool joined = false; !joined;) {
    static_cast<void>(co_await process.renew());
    joined = co_await tries_to_join(process, topic, member);
  }
}

}  // namespace

TEST_SUITE_BEGIN("topics/backend");

TEST_CASE("all processes receive the messages of each, in one order and under the same numbers") {
  with_each_backend([](const BackendKind& kind, std::string topic) -> Task<> {
    const auto one = co_await start_process(kind);
    const auto two = co_await start_process(kind);
    auto at_one = co_await one->subscribe(topic);
    auto at_two = co_await two->subscribe(topic);
    const auto publish = [&](const Process& from, std::string name) -> Task<> {
      for (int i = 0; i != 20; ++i) co_await from.publish(topic, name + std::to_string(i));
    };
    const auto publish_one = [&] { return publish(*one, "a"); };
    const auto publish_two = [&] { return publish(*two, "b"); };
    co_await all(publish_one, publish_two);
    const Strings first = co_await next_of(at_one, 40);
    const Strings second = co_await next_of(at_two, 40);
    CHECK(first == second);
    co_await one->publish(topic, "end");
    const auto event = co_await at_two.next();
    REQUIRE(event.has_value());
    CHECK(event->data() == "end");
    CHECK(event->position().sequence == 41);
  });
}

TEST_CASE("any text and any size arrives as it is, and a long message costs no other its place") {
  with_each_backend([](const BackendKind& kind, std::string topic) -> Task<> {
    const TopicOptions options{.queue_max = 20, .message_bytes_max = 300'000};
    const auto one = co_await start_process(kind, options);
    const auto two = co_await start_process(kind, options);
    auto at_two = co_await two->subscribe(topic + " Gr\u00fc\u00dfe 'x'");
    const Strings texts{"",
                        "+",
                        std::string("a\0b", 3),
                        "Gr\u00fc\u00dfe",
                        std::string(7'600, 'x'),
                        std::string(7'950, 'y'),
                        std::string(300'000, 'z'),
                        "short"};
    for (const std::string& text : texts) co_await one->publish(topic + " Gr\u00fc\u00dfe 'x'", text);
    const Strings got = co_await next_of(at_two, texts.size());
    CHECK(got == texts);
  });
}

TEST_CASE("another process replays what was published before, or tells that it is gone") {
  with_each_backend([](const BackendKind& kind, std::string topic) -> Task<> {
    const TopicOptions options{.history_max = 3};
    const auto one = co_await start_process(kind, options);
    Strings ids;
    for (const char* text : {"1", "2", "3", "4", "5"}) {
      const TopicPosition position = co_await one->publish(topic, text);
      ids.push_back(position.to_text());
    }
    const auto two = co_await start_process(kind, options);
    auto next = co_await two->subscribe(topic, {.after = ids[2]});
    auto gone = co_await two->subscribe(topic, {.after = ids[0]});
    auto unknown = co_await two->subscribe(topic, {.after = "00000000-1"});
    co_await one->publish(topic, "6");
    const Strings missed = co_await next_of(next, 3);
    CHECK(missed == Strings{"4", "5", "6"});
    const Strings partly = co_await next_of(gone, 5);
    CHECK(partly == Strings{"gap 1", "3", "4", "5", "6"});
    const Strings all = co_await next_of(unknown, 5);
    CHECK(all == Strings{"gap unknown", "3", "4", "5", "6"});
  });
}

TEST_CASE("a process that keeps fewer messages than others keeps no more than it should") {
  with_each_backend([](const BackendKind& kind, std::string topic) -> Task<> {
    const auto many = co_await start_process(kind, {.history_max = 8});
    const auto few = co_await start_process(kind, {.history_max = 2});
    for (const char* text : {"1", "2", "3", "4", "5"}) co_await many->publish(topic, text);
    auto first = co_await few->subscribe(topic);
    co_await many->publish(topic, "6");
    const Strings received = co_await next_of(first, 1);
    CHECK(received == Strings{"6"});
    auto second = co_await few->subscribe(topic, {.last = 100});
    co_await many->publish(topic, "7");
    const Strings replayed = co_await next_of(second, 3);
    CHECK(replayed == Strings{"5", "6", "7"});
  });
}

TEST_CASE("a process that keeps no messages does not change the numbers of those that others keep") {
  with_each_backend([](const BackendKind& kind, std::string topic) -> Task<> {
    const auto keeps = co_await kind.make(30s);
    const auto keeps_none = co_await kind.make(30s);
    co_await keeps->publish(topic, "a", {.history_max = 4});
    co_await keeps_none->publish(topic, "b", {.history_max = 0});
    const http::TopicHistory history = co_await keeps->history(topic, 0);
    CHECK(history.last.sequence == 2);
    for (const http::TopicRecord& record : history.records) {
      CHECK(record.data == (record.position.sequence == 1 ? "a" : "b"));
    }
  });
}

TEST_CASE("when the connection is lost, subscribers get each message once, and a gap for what is gone") {
  with_each_backend([](const BackendKind& kind, std::string topic) -> Task<> {
    const TopicOptions options{.history_max = 5};
    const auto one = co_await start_process(kind, options);
    const auto two = co_await start_process(kind, options);
    auto at_two = co_await two->subscribe(topic);
    std::uint64_t received = 0;
    for (int round = 1; round <= 3; ++round) {
      co_await kind.cut();
      for (int i = 0; i != 10; ++i) co_await one->publish(topic, std::to_string(round));
      while (received != static_cast<std::uint64_t>(round) * 10) {
        const auto event = co_await at_two.next();
        REQUIRE(event.has_value());
        if (event->kind == Kind::gap) {
          REQUIRE(event->lost.has_value());
          received += *event->lost;
        } else {
          ++received;
          REQUIRE(event->position().sequence == received);
        }
      }
    }
  });
}

TEST_CASE("members are those of all processes, and each joins and leaves once") {
  with_each_backend([](const BackendKind& kind, std::string topic) -> Task<> {
    const auto one = co_await start_process(kind);
    const auto two = co_await start_process(kind);
    auto watcher = co_await two->subscribe(topic, {.presence = true});
    co_await two->publish(topic, "begin");
    const std::string begin = co_await next_of(watcher);
    CHECK(begin == "begin");
    std::optional<TopicSubscription> ann = co_await one->subscribe(topic, {.member = "ann"});
    const std::string ann_joins = co_await next_of(watcher);
    CHECK(ann_joins == "+ann");
    std::optional<TopicSubscription> bob = co_await two->subscribe(topic, {.member = "bob"});
    const std::string bob_joins = co_await next_of(watcher);
    CHECK(bob_joins == "+bob");
    std::optional<TopicSubscription> again = co_await two->subscribe(topic, {.member = "ann"});
    std::optional<TopicSubscription> eve = co_await two->subscribe(topic, {.member = "eve"});
    const std::string eve_joins = co_await next_of(watcher);
    CHECK(eve_joins == "+eve");  // and ann, who joined again before, was not announced
    Strings now = co_await two->members(topic);
    CHECK(now == Strings{"ann", "bob", "eve"});
    ann.reset();
    bob.reset();
    const std::string bob_leaves = co_await next_of(watcher);
    CHECK(bob_leaves == "-bob");
    again.reset();
    const std::string ann_leaves = co_await next_of(watcher);
    CHECK(ann_leaves == "-ann");
    now = co_await two->members(topic);
    CHECK(now == Strings{"eve"});
  });
}

TEST_CASE("a process that ends without leaving is no longer counted when its lease has ended") {
  with_each_backend([](const BackendKind& kind, std::string topic) -> Task<> {
    const auto living = co_await start_process(kind);
    auto watcher = co_await living->subscribe(topic, {.presence = true});
    co_await living->publish(topic, "begin");
    const std::string begin = co_await next_of(watcher);  // from now on, announcements arrive
    CHECK(begin == "begin");
    const auto member = co_await living->subscribe(topic, {.member = "living"});
    const std::string joins = co_await next_of(watcher);
    CHECK(joins == "+living");
    const std::shared_ptr<http::TopicBackend> dead = co_await kind.make(100ms);  // has no task that renews its lease
    const std::shared_ptr<http::TopicBackend> sweeper = co_await kind.make(30s);
    for (int life = 0; life != 2; ++life) {
      co_await renew_and_join(*dead, topic, "dead");
      const std::string dead_joins = co_await next_of(watcher);
      CHECK(dead_joins == "+dead");
      const std::function<Task<Strings>()> members = [&]() -> Task<Strings> {
        static_cast<void>(co_await sweeper->renew());
        co_return co_await living->members(topic);
      };
      const Strings rest = co_await becomes(members, Strings{"living"});
      CHECK(rest == Strings{"living"});
      const std::string dead_leaves = co_await next_of(watcher);
      CHECK(dead_leaves == "-dead");
    }
    const bool joined = co_await tries_to_join(*dead, topic, "dead");
    CHECK(!joined);
    const bool kept = co_await dead->renew();
    CHECK(!kept);
    const bool sweeper_kept = co_await sweeper->renew();
    CHECK(sweeper_kept);
  });
}

TEST_CASE("announcements of other programs are ignored") {
  for (const char* text : {"", "m", "x 1 1 1 t+", "m 1 1 1 t", "m 1 1 2 t+", "m 1 1 -1 t+", "m 1 1 t+", "j 1 0 1 t-",
                           "m 1 1 1 t-x", "m 1 1 99999999999999999999 t+", "m  1 1 1 t+"}) {
    CAPTURE(text);
    CHECK(!internal::parse_announcement(text));
  }
  const auto message = internal::parse_announcement("m 7 8 2 a++b");
  REQUIRE(message.has_value());
  CHECK(message->topic == "a+");
  CHECK(message->rest == "b");
  CHECK(message->first == 7);
  CHECK(message->sequence == 8);
}

TEST_SUITE_END();

}  // namespace volt::topics
