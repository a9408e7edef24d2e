// SPDX-License-Identifier: MIT

// Topics of one process. What topics of several processes do is in tests/topics/backend_test.cpp.
#include "http/topics/topics.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "runtime/runtime.h"
#include "runtime/spawn.h"
#include "tests/http/websocket/counted_writes.h"
#include "tests/support/engine.h"
#include "tests/support/topic_events.h"

namespace volt::http {
namespace {

using test::next_of;
using Strings = std::vector<std::string>;

struct Score {
  std::string team;
  int goals = 0;
};

template <class Body>
void run_topic_test(Body body) {
  Runtime runtime(test_options());
  runtime.block_on(body);
}

Task<Strings> publish_numbers(const Topics<std::string>& topics, int from, int to) {
  Strings ids;
  for (int number = from; number <= to; ++number) {
    const TopicPosition position = co_await topics.publish("t", std::to_string(number));
    ids.push_back(position.to_text());
  }
  co_return ids;
}

// Whether awaiting the task throws an Expected.
template <class Expected, class T>
Task<bool> throws(Task<T> task) {
  try {
    static_cast<void>(co_await std::move(task));
  } catch (const Expected&) {
    co_return true;
  }
  co_return false;
}

}  // namespace

TEST_SUITE_BEGIN("http/topics");

TEST_CASE("a copy has the same topics, also after the original was destroyed") {
  run_topic_test([]() -> Task<> {
    std::optional<Topics<std::string>> original(std::in_place);
    const Topics<std::string> copy = *original;
    auto subscription = co_await copy.subscribe("t");
    static_cast<void>(co_await publish_numbers(*original, 1, 1));
    const std::string received = co_await next_of(subscription);
    CHECK(received == "1");
    original.reset();
    static_cast<void>(co_await publish_numbers(copy, 2, 2));
    const std::string also_received = co_await next_of(subscription);
    CHECK(also_received == "2");
  });
}

TEST_CASE("positions are texts and back") {
  const TopicPosition position{.epoch = 0x2a, .sequence = 17};
  CHECK(position.to_text() == "0000002a-17");
  CHECK(TopicPosition::parse("0000002a-17") == position);
  CHECK(TopicPosition::parse("ffffffff-18446744073709551615").has_value());
  for (const char* text : {"", "17", "0000002a", "0000002a-", "0000002a17", "0000002x-17", "0000002a-17 ",
                           "0000002a--7", "0000002a-07", "2a-17", "0000002a-18446744073709551616", "+000002a-17"}) {
    CAPTURE(text);
    CHECK(!TopicPosition::parse(text));
  }
}

TEST_CASE("each subscriber of a topic gets each message, as it was published, and other topics get none") {
  run_topic_test([]() -> Task<> {
    const Topics<Score> topics;
    auto one = co_await topics.subscribe("football");
    auto two = co_await topics.subscribe("football");
    auto other = co_await topics.subscribe("chess");
    CHECK(topics.subscribers("football") == 2);
    co_await topics.publish("football", {"red", 1});
    co_await topics.publish("chess", {"white", 2});
    for (TopicSubscription* subscription : {&one, &two}) {
      const auto event = co_await subscription->next();
      REQUIRE(event.has_value());
      CHECK(event->data() == R"({"team":"red","goals":1})");
      CHECK(event->position().sequence == 1);
      const auto score = Topics<Score>::value(*event);
      REQUIRE(score.has_value());
      CHECK(score->team == "red");
    }
    const std::string chess = co_await next_of(other);
    CHECK(chess == R"({"team":"white","goals":2})");
  });
}

TEST_CASE("a subscriber that comes back gets what it has missed, or is told that it is gone") {
  run_topic_test([]() -> Task<> {
    const Topics<std::string> topics({.history_max = 3});
    const Strings ids = co_await publish_numbers(topics, 1, 5);
    const struct {
      const char* why;
      std::string after;
      Strings events;
    } cases[] = {
        {"nothing was missed", ids[4], {}},
        {"all that was missed is kept", ids[1], {"3", "4", "5"}},
        {"one message is gone", ids[0], {"gap 1", "3", "4", "5"}},
        {"the topic has begun anew", "00000000-1", {"gap unknown", "3", "4", "5"}},
        {"the id is ahead of the topic", ids[4] + "0", {"gap unknown", "3", "4", "5"}},
        {"the id is none", "nonsense", {"gap unknown", "3", "4", "5"}},
    };
    for (const auto& [why, after, events] : cases) {
      auto subscription = co_await topics.subscribe("t", {.after = after});
      const Strings got = co_await next_of(subscription, events.size());
      co_await topics.publish("other", "x");
      auto last = co_await topics.subscribe("t", {.last = 2});
      const Strings two = co_await next_of(last, 2);
      CAPTURE(why);
      CHECK(got == events);
      CHECK(two == Strings{"4", "5"});
    }
    auto all = co_await topics.subscribe("t", {.last = 99});
    const Strings kept = co_await next_of(all, 3);
    CHECK(kept == Strings{"3", "4", "5"});
    auto live = co_await topics.subscribe("t");
    co_await topics.publish("t", "6");
    const std::string sixth = co_await next_of(live);
    CHECK(sixth == "6");
  });
}

TEST_CASE("a slow subscriber loses the oldest messages and learns how many, or its subscription ends") {
  run_topic_test([]() -> Task<> {
    const Topics<std::string> topics({.queue_max = 2});
    auto dropping = co_await topics.subscribe("t");
    auto closing = co_await topics.subscribe("t", {.slow = SlowSubscriber::close});
    auto present = co_await topics.subscribe("t", {.presence = true});
    co_await publish_numbers(topics, 1, 5);
    const Strings rest = co_await next_of(dropping, 3);
    CHECK(rest == Strings{"gap 3", "4", "5"});
    for (int round = 0; round != 2; ++round) {
      const std::string end = co_await next_of(closing);
      CHECK(end == "end");
    }
    const Strings once = co_await next_of(present, 3);
    CHECK(once == Strings{"gap 3", "4", "5"});
  });
}

TEST_CASE("a subscriber with presence that loses announcements gets a gap, too") {
  run_topic_test([]() -> Task<> {
    const Topics<std::string> topics({.queue_max = 2});
    auto present = co_await topics.subscribe("t", {.presence = true});
    for (const char* name : {"a", "b", "c"}) {
      const auto brief = co_await topics.subscribe("t", {.member = name});
    }
    const Strings events = co_await next_of(present, 3);
    CHECK(events == Strings{"gap unknown", "+c", "-c"});
  });
}

TEST_CASE("publishers wait for a subscriber that wants it, until it receives or ends") {
  run_topic_test([]() -> Task<> {
    const Topics<std::string> topics({.queue_max = 2});
    std::optional<TopicSubscription> slow = co_await topics.subscribe("t", {.slow = SlowSubscriber::wait});
    co_await publish_numbers(topics, 1, 2);
    const auto publish = [](Borrowed<const Topics<std::string>> to, std::string text) -> Task<> {
      co_await to->publish("t", text);
    };
    auto third = spawn(publish, borrow(topics), "3");
    auto fourth = spawn(publish, borrow(topics), "4");
    CHECK(!third.done());
    const Strings all = co_await next_of(*slow, 4);
    CHECK(Strings{all[0], all[1]} == Strings{"1", "2"});
    co_await std::move(third);
    co_await std::move(fourth);
    co_await publish_numbers(topics, 5, 6);
    auto seventh = spawn(publish, borrow(topics), "7");
    auto live = co_await topics.subscribe("t");
    slow.reset();
    co_await std::move(seventh);
    const std::string text = co_await next_of(live);
    CHECK(text == "7");
  });
}

TEST_CASE("members join once and leave once, whatever the number of their subscriptions") {
  run_topic_test([]() -> Task<> {
    const Topics<std::string> topics;
    auto watcher = co_await topics.subscribe("t", {.presence = true});
    auto blind = co_await topics.subscribe("t");
    std::optional<TopicSubscription> ann = co_await topics.subscribe("t", {.member = "ann"});
    std::optional<TopicSubscription> again = co_await topics.subscribe("t", {.member = "ann"});
    std::optional<TopicSubscription> bob = co_await topics.subscribe("t", {.member = "bob"});
    const Strings members = co_await topics.members("t");
    CHECK(members == Strings{"ann", "bob"});
    ann.reset();
    again.reset();
    const Strings rest = co_await topics.members("t");
    CHECK(rest == Strings{"bob"});
    co_await topics.publish("t", "x");
    const Strings events = co_await next_of(watcher, 4);
    CHECK(events == Strings{"+ann", "+bob", "-ann", "x"});
    const std::string message = co_await next_of(blind);
    CHECK(message == "x");
    const Strings none = co_await topics.members("unknown");
    CHECK(none.empty());
  });
}

TEST_CASE("large topics announce nothing") {
  run_topic_test([]() -> Task<> {
    const Topics<std::string> topics({.announced_members_max = 1});
    auto watcher = co_await topics.subscribe("t", {.presence = true});
    auto ann = co_await topics.subscribe("t", {.member = "ann"});
    std::optional<TopicSubscription> bob = co_await topics.subscribe("t", {.member = "bob"});
    bob.reset();
    const Strings events = co_await next_of(watcher, 2);
    CHECK(events == Strings{"+ann", "-bob"});
  });
}

TEST_CASE("unused topics are forgotten after a time, or if there are too many") {
  run_topic_test([]() -> Task<> {
    const Topics<std::string> topics({.topics_max = 2});
    const auto first = co_await topics.publish("one", "1");
    auto used = co_await topics.subscribe("two");
    auto back = co_await topics.subscribe("one", {.last = 1});
    const std::string kept = co_await next_of(back);
    CHECK(kept == "1");
    const bool full = co_await throws<std::length_error>(topics.subscribe("three"));
    CHECK(full);
    back = co_await topics.subscribe("two");
    co_await topics.publish("three", "3");  // displaces `one`
    used = co_await topics.subscribe("one", {.after = first.to_text()});
    const std::string gone = co_await next_of(used);
    CHECK(gone == "gap unknown");

    const Topics<std::string> brief({.retention = std::chrono::seconds(0)});
    co_await brief.publish("one", "1");
    co_await brief.publish("two", "2");  // removes `one`
    auto late = co_await brief.subscribe("one", {.last = 1, .presence = true});
    auto ann = co_await brief.subscribe("one", {.member = "ann"});
    const std::string only = co_await next_of(late);
    CHECK(only == "+ann");
  });
}

TEST_CASE("names, messages and options are checked") {
  run_topic_test([]() -> Task<> {
    const Topics<std::string> topics({.message_bytes_max = 4});
    for (const std::string& name : {std::string(), std::string(201, 'x'), std::string("\xff"), std::string(1, '\0')}) {
      const bool publishing = co_await throws<std::invalid_argument>(topics.publish(name, "x"));
      const bool subscribing = co_await throws<std::invalid_argument>(topics.subscribe(name));
      CHECK(publishing);
      CHECK(subscribing);
      const bool joining = co_await throws<std::invalid_argument>(topics.subscribe("t", {.member = name}));
      const bool asking = co_await throws<std::invalid_argument>(topics.members(name));
      CHECK(joining == !name.empty());
      CHECK(asking == !name.empty());
    }
    co_await topics.publish("t", "1234");
    const bool too_long = co_await throws<std::length_error>(topics.publish("t", "12345"));
    CHECK(too_long);
    const bool not_utf8 = co_await throws<std::invalid_argument>(topics.publish("t", "\xff"));
    CHECK(not_utf8);
    CHECK_THROWS_AS(Topics<std::string>({.queue_max = 0}), std::invalid_argument);
    CHECK_THROWS_AS(Topics<std::string>({.topics_max = 0}), std::invalid_argument);
    CHECK_THROWS_AS(Topics<std::string>({.retention = std::chrono::seconds(-1)}), std::invalid_argument);
    CHECK_THROWS_AS(Topics<topics::Bytes>(), std::invalid_argument);
  });
}

TEST_CASE("serve() sends numbered and plain messages, with and without compression") {
  App app;
  const auto numbered = std::make_shared<Topics<std::string>>();
  const auto plain = std::make_shared<Topics<std::string>>(TopicOptions{.format = TopicFormat::plain});
  const auto bytes = std::make_shared<Topics<topics::Bytes>>(TopicOptions{.format = TopicFormat::plain});
  const auto send_all = [](WebSocket& socket, auto& from) -> Task<> {
    auto subscription = co_await from.subscribe("t", {.last = 9});
    co_await serve(socket, subscription);
  };
  const auto send_numbered = [=](WebSocket& socket) -> Task<> { return send_all(socket, *numbered); };
  app.ws("/numbered", {}, send_numbered);
  app.ws("/deflated", {.deflate = true}, send_numbered);
  app.ws("/context", {.deflate = true, .deflate_context = true}, send_numbered);
  app.ws("/plain", {}, [=](WebSocket& socket) -> Task<> { return send_all(socket, *plain); });
  app.ws("/bytes", {}, [=](WebSocket& socket) -> Task<> { return send_all(socket, *bytes); });
  app.post("/publish", [=]() -> Task<> {
    co_await numbered->publish("t", "\"quoted\"" + std::string(300, 'x'));
    co_await plain->publish("t", "as it is");
    co_await bytes->publish("t", {std::byte{0xff}});
  });
  TestClient client(std::move(app), {.io = test_options().io});
  CHECK(client.post("/publish").send().status() == 204);
  const std::string end = R"(-1","data":"\"quoted\")" + std::string(300, 'x') + "\"}";
  for (const char* path : {"/numbered", "/deflated", "/context"}) {
    CAPTURE(path);
    auto socket = client.websocket(path, {.deflate = true});
    CHECK(socket.receive().payload.ends_with(end));
    socket.ping("p");
    CHECK(socket.close().code == CloseCode::normal);
    CHECK(socket.pongs() == 1);
  }
  CHECK(client.websocket("/plain").receive() == TestMessage{TestMessage::Kind::text, "as it is"});
  CHECK(client.websocket("/bytes").receive() == TestMessage{TestMessage::Kind::binary, "\xff"});
}

TEST_CASE("serve() sends the messages that wait in pieces of about 16 KiB, in their order") {
  const auto topics = std::make_shared<Topics<std::string>>(TopicOptions{.format = TopicFormat::plain});
  Strings said;
  for (int i = 0; i != 20; ++i) said.push_back(std::to_string(i));
  for (char c = 'a'; c != 'k'; ++c) said.emplace_back(4000, c);
  std::size_t writes = 0;
  App app = websocket::counting(writes, [&](WebSocket& socket) -> Task<> {
    auto subscription = co_await topics->subscribe("t");
    for (const std::string& text : said) co_await topics->publish("t", text);
    co_await serve(socket, subscription);
  });
  {
    TestClient client(std::move(app), {.io = test_options().io});
    auto socket = client.websocket("/ws");
    for (const std::string& text : said) CHECK(socket.receive().payload == text);
    CHECK(socket.close().code == CloseCode::normal);
  }
  CHECK(writes == 3);  // two pieces, and the close frame
}

TEST_CASE("serve() passes messages on, and closes the WebSocket of a client that is too slow or has a gap") {
  App app;
  const auto topics = std::make_shared<Topics<std::string>>(TopicOptions{.format = TopicFormat::plain, .queue_max = 2});
  app.ws("/slow", {}, [=](WebSocket& socket) -> Task<> {
    auto subscription = co_await topics->subscribe("t", {.slow = SlowSubscriber::close});
    for (const char* text : {"1", "2", "3"}) co_await topics->publish("t", text);
    co_await serve(socket, subscription);
  });
  app.ws("/gap", {}, [=](WebSocket& socket) -> Task<> {
    auto subscription = co_await topics->subscribe("t", {.after = "nonsense"});
    co_await serve(socket, subscription);
  });
  app.ws("/echo", {}, [=](WebSocket& socket) -> Task<> {
    auto subscription = co_await topics->subscribe("echo");
    const auto say = [&](WebSocket::Message said) -> Task<> { co_await topics->publish("echo", said.data); };
    co_await serve(socket, subscription, say);
  });
  TestClient client(std::move(app), {.io = test_options().io});
  for (const auto& [path, why] : {std::pair{"/slow", "the client is too slow"}, {"/gap", "messages are missing"}}) {
    CHECK(client.websocket(path).receive() == TestMessage{TestMessage::Kind::close, why, CloseCode::try_again_later});
  }
  auto one = client.websocket("/echo");
  auto two = client.websocket("/echo");
  CHECK(one.quiet());
  two.send_text("hello");
  for (TestWebSocket* socket : {&one, &two}) CHECK(socket->receive().payload == "hello");
}

TEST_CASE("serve() sends events with ids, gaps and members, and refuses bytes") {
  App app;
  const auto topics = std::make_shared<Topics<std::string>>();
  const auto bytes = std::make_shared<Topics<topics::Bytes>>(TopicOptions{.format = TopicFormat::plain});
  app.get("/events", [=](EventStream& out) -> Task<> {
    auto subscription =
        co_await topics->subscribe("t", {.member = "ann", .after = out.last_event_id(), .presence = true});
    co_await serve(out, subscription);
  });
  app.get("/bytes", [=](EventStream& out) -> Task<> {
    auto subscription = co_await bytes->subscribe("t");
    const bool refused = co_await throws<std::logic_error>(serve(out, subscription));
    CHECK(refused);
  });
  app.post("/publish", [=]() -> Task<> { co_await topics->publish("t", "two\nlines"); });
  TestClient client(std::move(app), {.io = test_options().io});
  auto stream = client.get("/events").header("Last-Event-ID", "nonsense").open();
  CHECK(stream.read_event() == TestEvent{.type = "gap", .data = R"({"lost":null})"});
  CHECK(stream.read_event() == TestEvent{.type = "joined", .data = R"("ann")"});
  CHECK(client.post("/publish").send().status() == 204);
  const auto event = stream.read_event();
  REQUIRE(event.has_value());
  CHECK(event->data == "two\nlines");
  CHECK(event->id.ends_with("-1"));
  CHECK(client.get("/bytes").open().read_event() == std::nullopt);
}

TEST_SUITE_END();

}  // namespace volt::http
