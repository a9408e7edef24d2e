// SPDX-License-Identifier: MIT

// The memory of a subscription, and topics when allocations fail.
#include <doctest/doctest.h>

#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "http/topics/topics.h"
#include "runtime/coro/frame_pool.h"
#include "runtime/runtime.h"
#include "tests/allocations/failing.h"
#include "tests/support/engine.h"
#include "tests/support/topic_events.h"

namespace volt {
namespace {

using test::Counted;
using test::FailingAllocation;
using Topics = http::Topics<std::string>;

// Subscribes to a topic while the allocation with that number fails. Returns whether there was such an allocation.
Task<bool> subscribe_failing(const Topics& topics, const http::SubscribeOptions& options, std::uint64_t number) {
  const FailingAllocation failing(Counted::this_thread, number);
  try {
    const http::TopicSubscription subscription = co_await topics.subscribe("t", options);
  } catch (const std::bad_alloc&) {  // decided: the result says it
  }
  co_return failing.met();
}

struct Attempt {
  bool failed_one;  // an allocation with that number was made
  bool published;
};

// Publishes a message while the allocation with that number fails.
Task<Attempt> publish_failing(const Topics& topics, std::string text, std::uint64_t number) {
  const FailingAllocation failing(Counted::this_thread, number);
  bool published = true;
  try {
    co_await topics.publish("t", std::move(text));
  } catch (const std::bad_alloc&) {  // decided: the result says it
    published = false;
  }
  co_return Attempt{.failed_one = failing.met(), .published = published};
}

}  // namespace

TEST_SUITE_BEGIN("allocations/topics");

// With the address sanitizer, each frame of a coroutine is an allocation.
TEST_CASE("a subscription for which no events wait takes one allocation" * doctest::skip(!coro::FramePool::kPools)) {
  Runtime runtime(test_options(1));
  runtime.block_on([]() -> Task<> {
    const Topics topics;
    const http::TopicSubscription first = co_await topics.subscribe("t");  // creates the topic
    const http::SubscribeOptions options;
    constexpr std::uint64_t kNone = ~std::uint64_t{0};
    static_cast<void>(co_await subscribe_failing(topics, options, kNone));  // fills the pool of frames
    const bool takes_one = co_await subscribe_failing(topics, options, 1);
    CHECK(takes_one);
    const bool takes_two = co_await subscribe_failing(topics, options, 2);
    CHECK_FALSE(takes_two);
  });
}

TEST_CASE("whichever allocation of a subscription fails, its topic has neither a subscriber nor a member more") {
  Runtime runtime(test_options(1));
  runtime.block_on([]() -> Task<> {
    const Topics topics;
    const std::string text = "a message that is too long for a small string";
    for (int i = 0; i != 3; ++i) co_await topics.publish("t", text);
    const http::SubscribeOptions options{.member = "a member whose name is too long for a small string",
                                         .last = 2,
                                         .presence = true,
                                         .slow = http::SlowSubscriber::wait};
    bool any_left = true;
    for (std::uint64_t number = 1; any_left; ++number) {
      REQUIRE(number < 100);
      any_left = co_await subscribe_failing(topics, options, number);
      CAPTURE(number);
      CHECK(topics.subscribers("t") == 0);
      const std::vector<std::string> members = co_await topics.members("t");
      CHECK(members.empty());
    }
    auto subscription = co_await topics.subscribe("t", options);
    const std::string second = co_await test::next_of(subscription);
    const std::string third = co_await test::next_of(subscription);
    const std::string joined = co_await test::next_of(subscription);
    CHECK(second == text);
    CHECK(third == text);
    CHECK(joined == "+" + options.member);
  });
}

TEST_CASE("whichever allocation of publish() fails, subscribers and the history have each message that was published") {
  Runtime runtime(test_options(1));
  runtime.block_on([]() -> Task<> {
    const Topics topics;
    auto live = co_await topics.subscribe("t");
    std::vector<std::string> published;
    bool any_left = true;
    for (std::uint64_t number = 1; any_left; ++number) {
      REQUIRE(number < 50);  // fewer than the history keeps
      std::string text = "a message that is too long for a small string, " + std::to_string(number);
      published.push_back(text);
      const Attempt attempt = co_await publish_failing(topics, std::move(text), number);
      any_left = attempt.failed_one;
      if (!attempt.published) published.pop_back();
    }
    CHECK(!published.empty());
    const std::vector<std::string> received = co_await test::next_of(live, published.size());
    CHECK(received == published);
    auto late = co_await topics.subscribe("t", {.last = 50});
    const std::vector<std::string> replayed = co_await test::next_of(late, published.size());
    CHECK(replayed == published);
  });
}

TEST_SUITE_END();

}  // namespace volt
