// SPDX-License-Identifier: MIT

#include "redis/subscription.h"

#include <signal.h>

#include "redis/redis.h"
#include "runtime/concurrent.h"
#include "tests/redis/server.h"

namespace volt::redis {
namespace {

using namespace test;

Task<std::string> next_text(Subscription& subscription) {
  const Message message = co_await subscription.next();
  CHECK(message.kind == Message::Kind::text);
  co_return message.channel + "=" + message.text;
}

// Publishes until a client receives it.
Task<> publish_until_received(Pool& redis, std::string channel, std::string text) {
  for (int round = 0; round != 6000; ++round) {
    try {
      const std::int64_t receivers = co_await redis.publish(channel, text);
      if (receivers != 0) co_return;
    } catch (const ConnectionLost&) {  // retry: the pool had not noticed a restart
    }
    co_await sleep_for(10ms);
  }
  FAIL_CHECK("no client has subscribed");
}

// Skips messages until `kind` arrives.
Task<> expect(Subscription& subscription, Message::Kind kind) {
  for (;;) {
    const Message message = co_await subscription.next();
    if (message.kind == kind) co_return;
    CHECK(message.kind == Message::Kind::text);
  }
}

}  // namespace

TEST_SUITE_BEGIN("redis/subscription");

TEST_CASE("a subscription receives what is published after it has begun, in order") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    Subscription news = co_await redis.subscribe({"one", "two"});
    CHECK(redis.state().subscriptions == 1);
    for (int i = 0; i != 500; ++i) {
      const auto receivers = co_await redis.publish(i % 2 == 0 ? "one" : "two", std::to_string(i));
      CHECK(receivers == 1);
    }
    for (int i = 0; i != 500; ++i) {
      const std::string text = co_await next_text(news);
      CHECK(text == (i % 2 == 0 ? "one=" : "two=") + std::to_string(i));
    }
  });
}

TEST_CASE("patterns match channels, and channels are added and removed") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    Subscription all = co_await redis.subscribe_to_patterns({"news.*"});
    co_await redis.publish("news.sport", "goal");
    const Message goal = co_await all.next();
    CHECK(goal.channel == "news.sport");
    CHECK(goal.pattern == "news.*");
    CHECK(goal.text == "goal");

    Subscription some = co_await redis.subscribe({"a"});
    some.add("b");
    co_await publish_until_received(redis, "b", "1");
    std::string text = co_await next_text(some);
    CHECK(text == "b=1");
    some.remove("b");
    some.remove("a");
    for (;;) {  // until the server has executed it
      const auto receivers = co_await redis.publish("a", "late");
      if (receivers == 0) break;
    }
    some.add("c");  // works although no channel was left
    co_await publish_until_received(redis, "c", "2");
    do text = co_await next_text(some);
    while (text == "a=late");
    CHECK(text == "c=2");
  });
}

TEST_CASE("the consumer is told of a lost connection, and receives again after it is back") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    Subscription news = co_await redis.subscribe({"news"});
    for (int round = 0; round != 3; ++round) {
      co_await redis.command("CLIENT", "KILL", "TYPE", "pubsub");
      co_await expect(news, Message::Kind::lost);
      co_await expect(news, Message::Kind::back);
      const auto receivers = co_await redis.publish("news", "again");
      CHECK(receivers == 1);
      const std::string text = co_await next_text(news);
      CHECK(text == "news=again");
    }
  });
}

TEST_CASE("a subscription survives a restart of the server") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    Subscription news = co_await redis.subscribe({"news"});
    const Reply info = co_await redis.command("INFO", "server");
    CHECK(::kill(std::stoi(info.text.substr(info.text.find("process_id:") + 11)), SIGKILL) == 0);
    co_await expect(news, Message::Kind::lost);
    news.add("more");  // while there is no connection
    co_await expect(news, Message::Kind::back);
    co_await publish_until_received(redis, "more", "after");
    const std::string text = co_await next_text(news);
    CHECK(text == "more=after");
  });
}

TEST_CASE("a slow consumer gets everything that its queue and the connection can hold") {
  PoolOptions options = patient();
  options.subscription_queue_max = 2;
  with_pool(std::move(options), [](Pool& redis) -> Task<> {
    Subscription news = co_await redis.subscribe({"news"});
    for (int i = 0; i != 1000; ++i) co_await redis.publish("news", std::to_string(i));
    for (int i = 0; i != 1000; ++i) {
      const std::string text = co_await next_text(news);
      CHECK(text == "news=" + std::to_string(i));
    }
  });
}

TEST_CASE("a cancelled next() takes nothing") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    Subscription news = co_await redis.subscribe({"news"});
    const auto wait = [&] { return news.next(); };
    const Result<Message> none = co_await within(10ms, wait);
    CHECK(!none);
    co_await redis.publish("news", "first");
    const std::string text = co_await next_text(news);
    CHECK(text == "news=first");
  });
}

TEST_CASE("a quiet connection is kept while the server answers, and replaced when it does not") {
  PoolOptions options = patient();
  options.ping_interval = 20ms;
  with_pool(options, [](Pool& redis) -> Task<> {
    bool kept = false;
    for (int round = 0; !kept && round != 50; ++round) {  // a slow server misses a ping, so one quiet time is enough
      Subscription news = co_await redis.subscribe({"quiet"});
      const auto wait = [&] { return news.next(); };
      const Result<Message> none = co_await within(200ms, wait);  // ten pings
      kept = !none;
    }
    CHECK(kept);
  });
  const std::string confirmation = "*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n";
  with_scripted({"+PONG\r\n", confirmation}, options, [](Pool& redis) -> Task<> {
    Subscription news = co_await redis.subscribe({"x"});
    co_await expect(news, Message::Kind::lost);
    co_await expect(news, Message::Kind::back);
  });
}

TEST_CASE("destroying a subscription ends its connection, also while messages wait") {
  with_pool(patient(), [](Pool& redis) -> Task<> {
    {
      Subscription news = co_await redis.subscribe({"short"});
      co_await redis.publish("short", "unread");
    }
    const bool ended = co_await becomes([&] { return redis.state().subscriptions == 0; });
    CHECK(ended);
    for (;;) {
      const auto receivers = co_await redis.publish("short", "late");
      if (receivers == 0) break;
    }
  });
}

TEST_CASE("a subscription that cannot begin is an error") {
  PoolOptions options = patient();
  options.url = "unix:///nonexistent/socket";
  with_pool(options, [](Pool& redis) -> Task<> {
    co_await error_of<Unavailable>(redis.subscribe({"x"}));
    co_await error_of<std::invalid_argument>(redis.subscribe({}));
    CHECK(redis.state().subscriptions == 0);
  });
  options = patient();
  options.connect_timeout = 100ms;
  with_scripted({"+PONG\r\n"}, options, [](Pool& redis) -> Task<> {
    co_await error_of<Unavailable>(redis.subscribe({"x"}));  // never confirmed
  });
  options.connect_timeout = 60s;
  with_scripted({"+PONG\r\n", "-NOPERM this user has no permissions\r\n"}, options, [](Pool& redis) -> Task<> {
    const auto error = co_await error_of<Unavailable>(redis.subscribe({"x"}));
    CHECK(std::string(error.value().what()).find("NOPERM") != std::string::npos);
  });
}

TEST_SUITE_END();

}  // namespace volt::redis
