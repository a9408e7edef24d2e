// SPDX-License-Identifier: MIT

#include "tracing/span.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/generator.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "tests/support/engine.h"

namespace volt::tracing {
namespace {

using namespace std::chrono_literals;

// The finished spans, by name.
std::map<std::string, SpanData> finished(Tracer& tracer) {
  std::map<std::string, SpanData> spans;
  for (SpanData& span : tracer.take(1000)) {
    const std::string name = span.name;
    spans.emplace(name, std::move(span));
  }
  return spans;
}

bool is_child(const SpanData& span, const SpanData& parent) {
  return span.parent == parent.context.span_id && span.context.trace_id == parent.context.trace_id;
}

Task<> pause_in(std::string_view name) {
  Span span(name);
  co_await yield();
}

}  // namespace

TEST_SUITE_BEGIN("tracing/span");

TEST_CASE("spans are nested as their blocks are") {
  Tracer tracer;
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    CHECK(current_span() == nullptr);
    {
      Span outer(tracer, "outer", SpanKind::server);
      CHECK(current_span() == &outer);
      {
        Span inner("inner");
        CHECK(current_span() == &inner);
        co_await pause_in("innermost");
        CHECK(current_span() == &inner);
      }
      Span second("second", SpanKind::client);
      second.end();
      CHECK(current_span() == &outer);
      second.set({"late", true});
    }
    CHECK(current_span() == nullptr);
  });
  const auto spans = finished(tracer);
  REQUIRE(spans.size() == 4);
  CHECK_FALSE(spans.at("outer").parent);
  CHECK(spans.at("outer").kind == SpanKind::server);
  CHECK(is_child(spans.at("inner"), spans.at("outer")));
  CHECK(is_child(spans.at("innermost"), spans.at("inner")));
  CHECK(is_child(spans.at("second"), spans.at("outer")));
  CHECK(spans.at("second").kind == SpanKind::client);
  CHECK(spans.at("second").attributes.empty());
  CHECK(spans.at("inner").start >= spans.at("outer").start);
  CHECK(spans.at("inner").end >= spans.at("inner").start);
}

TEST_CASE("without a current span, or in a trace that is not sampled, a span records nothing") {
  Tracer tracer({.sampling = {.ratio = 0}});
  Runtime runtime(test_options());
  Span outside("outside");  // a thread without a task
  CHECK_FALSE(outside.recording());
  runtime.block_on([&]() -> Task<> {
    Span alone("alone");
    CHECK_FALSE(alone.recording());
    CHECK(current_span() == nullptr);
    Span unsampled(tracer, "unsampled");
    CHECK_FALSE(unsampled.recording());
    CHECK(current_span() == &unsampled);
    Span inner("inner");
    inner.set({"key", 1});
    inner.event("event");
    inner.fail("failed");
    CHECK(current_span() == &unsampled);
    co_return;
  });
  CHECK(tracer.state().recorded == 0);
}

TEST_CASE("attributes, events and statuses are recorded") {
  Tracer tracer;
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    Span span(tracer, "first name");
    span.rename("name");
    span.set({"text", "value"});
    span.set({"number", 7});
    span.set({"fraction", 0.5});
    span.set({"fact", true});
    span.set({"number", std::uint16_t{8}});
    span.event("happened", {{"why", std::string("because")}, {"times", 2L}});
    span.fail("it failed");
    Span good("good");
    good.fail("at first");
    good.succeed();
    co_return;
  });
  const auto spans = finished(tracer);
  const SpanData& span = spans.at("name");
  REQUIRE(span.attributes.size() == 4);
  CHECK(std::get<std::string>(span.attributes[0].value) == "value");
  CHECK(std::get<std::int64_t>(span.attributes[1].value) == 8);
  CHECK(std::get<double>(span.attributes[2].value) == 0.5);
  CHECK(std::get<bool>(span.attributes[3].value));
  CHECK(span.attributes[1].key == "number");
  REQUIRE(span.events.size() == 1);
  CHECK(span.events[0].name == "happened");
  CHECK(span.events[0].time >= span.start);
  CHECK(span.events[0].time <= span.end);
  REQUIRE(span.events[0].attributes.size() == 2);
  CHECK(std::get<std::string>(span.events[0].attributes[0].value) == "because");
  CHECK(span.status == SpanStatus::error);
  CHECK(span.status_message == "it failed");
  CHECK(spans.at("good").status == SpanStatus::ok);
  CHECK(spans.at("good").status_message.empty());
}

TEST_CASE("attributes, events and texts have bounds, and what is lost is counted") {
  Tracer tracer({.attributes_max = 2, .events_max = 1, .text_bytes_max = 5});
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    Span span(tracer, "123456789");
    for (const char* key : {"a", "b", "c", "d", "a"}) span.set({key, "1234\u00e4"});
    for (int i = 0; i != 3; ++i) span.event("event", {{"a", 1}, {"b", 2}, {"c", 3}});
    co_return;
  });
  const SpanData span = tracer.take(1).at(0);
  CHECK(span.name == "12345");
  REQUIRE(span.attributes.size() == 2);
  CHECK(std::get<std::string>(span.attributes[0].value) == "1234");  // no half of a character
  CHECK(span.dropped_attributes == 2);
  REQUIRE(span.events.size() == 1);
  CHECK(span.events[0].attributes.size() == 2);
  CHECK(span.dropped_events == 2);
}

TEST_CASE("an exception that ends a span sets its status, if it has none") {
  Tracer tracer;
  Runtime runtime(test_options());
  CHECK_THROWS_AS(runtime.block_on([&]() -> Task<> {
    Span span(tracer, "failing");
    Span known("known");
    known.fail("a known reason");
    co_await yield();
    throw std::runtime_error("no");
  }),
                  std::runtime_error);
  const auto spans = finished(tracer);
  CHECK(spans.at("failing").status == SpanStatus::error);
  CHECK(spans.at("known").status_message == "a known reason");
}

TEST_CASE("children that a task awaits have its current span, and other tasks have none") {
  Tracer tracer;
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    Span outer(tracer, "outer");
    co_await all([] { return pause_in("all 1"); }, [] { return pause_in("all 2"); });
    static_cast<void>(co_await race([] { return pause_in("race"); }, []() -> Task<> { co_await sleep_for(1h); }));
    static_cast<void>(co_await within(1h, [] { return pause_in("within"); }));
    co_await with_scope([](Scope& scope) -> Task<> {
      Span body("body");
      // The span of the body may end before this child does.
      scope.spawn([]() -> Task<> {
        co_await yield();
        Span child("child");
      });
      co_return;
    });
    co_await spawn([]() -> Task<> {
      CHECK(current_span() == nullptr);
      co_return;
    });
  });
  const auto spans = finished(tracer);
  REQUIRE(spans.size() == 7);
  for (const char* name : {"all 1", "all 2", "race", "within", "body", "child"}) {
    CAPTURE(name);
    CHECK(is_child(spans.at(name), spans.at("outer")));
  }
}

TEST_CASE("a spawned task continues a trace by its context") {
  Tracer tracer;
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    Span outer(tracer, "outer");
    co_await spawn(
        [](Borrowed<Tracer> borrowed, SpanContext parent) -> Task<> {
          Span span(*borrowed, "job", SpanKind::consumer, &parent);
          co_await yield();
        },
        borrow(tracer), outer.context());
  });
  const auto spans = finished(tracer);
  CHECK(is_child(spans.at("job"), spans.at("outer")));
}

TEST_CASE("children of one task may add to its span at once") {
  Tracer tracer({.attributes_max = 1000, .events_max = 1000});
  Runtime runtime(test_options(4));
  runtime.block_on([&]() -> Task<> {
    Span outer(tracer, "outer");
    co_await with_scope([](Scope& scope) -> Task<> {
      for (int child = 0; child != 8; ++child) {
        scope.spawn(
            [](int number) -> Task<> {
              for (int i = 0; i != 50; ++i) {
                current_span()->set({"child " + std::to_string(number), i});
                current_span()->event("step");
                co_await yield();
              }
            },
            child);
      }
      co_return;
    });
  });
  const SpanData span = tracer.take(1).at(0);
  CHECK(span.attributes.size() == 8);
  CHECK(span.events.size() == 400);
}

TEST_CASE("a generator's span may end while a later one is current") {
  Tracer tracer;
  Runtime runtime(test_options());
  const auto numbers = []() -> Generator<int> {
    Span span("generator");
    co_yield 1;
  };
  runtime.block_on([&]() -> Task<> {
    Span outer(tracer, "outer");
    Generator<int> generator = numbers();
    const auto first = co_await generator.next();
    CHECK(first == 1);
    {
      Span later("later");
      const auto end = co_await generator.next();  // ends the generator's span
      CHECK_FALSE(end);
      CHECK(current_span() == &later);
    }
    CHECK(current_span() == &outer);
    Span last("last");
  });
  const auto spans = finished(tracer);
  REQUIRE(spans.size() == 4);
  CHECK(is_child(spans.at("last"), spans.at("outer")));
  CHECK(is_child(spans.at("later"), spans.at("generator")));
}

TEST_SUITE_END();

}  // namespace volt::tracing
