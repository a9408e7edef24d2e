// SPDX-License-Identifier: MIT

// A trace that is not sampled costs no allocation; when memory lacks, a span may be lost, and nothing else is.
#include <doctest/doctest.h>

#include <memory>
#include <new>
#include <string>

#include "http/message/request_head.h"
#include "http/tracing/trace_requests.h"
#include "http/web/error_responses.h"
#include "http/web/handler.h"
#include "runtime/coro/frame_pool.h"
#include "runtime/runtime.h"
#include "tests/allocations/failing.h"
#include "tests/support/engine.h"
#include "tracing/span.h"

namespace volt {
namespace {

using test::Counted;
using test::FailingAllocation;

http::Status handle() {
  tracing::Span span("render");
  span.set({"a key that is too long for a small string", 1});
  span.event("an event whose name is too long for a small string");
  return http::Status::no_content;
}

// Runs the middleware around a handler, and says whether it allocated memory. Frames of coroutines come from a pool: a
// first run fills it.
Task<bool> allocates(tracing::Sampling sampling) {
  http::Middleware middleware =
      http::trace_requests(std::make_shared<tracing::Tracer>(tracing::TracerOptions{.sampling = sampling}));
  http::Handler handler(handle);
  http::ErrorResponses errors;
  const http::Chain chain{.around = {&middleware}, .handler = &handler, .errors = &errors};
  bool met = false;
  for (int round = 0; round != 2; ++round) {
    http::message::RequestHead head;
    head.path = "/";
    http::Request request(head);
    const http::Next next(chain, 0);
    const FailingAllocation first(Counted::this_thread, round == 0 ? ~std::uint64_t{0} : 1);
    try {
      const http::Response response = co_await next(request);
    } catch (const std::bad_alloc&) {  // decided: `met` says it
    }
    met = first.met();
  }
  co_return met;
}

}  // namespace

TEST_SUITE_BEGIN("allocations/tracing");

// With the address sanitizer, each frame of a coroutine is an allocation.
TEST_CASE("a request that is not sampled allocates nothing, and one that is sampled does" *
          doctest::skip(!coro::FramePool::kPools)) {
  Runtime runtime(test_options(1));
  CHECK_FALSE(runtime.block_on(allocates, tracing::Sampling{.ratio = 0}));
  CHECK(runtime.block_on(allocates, tracing::Sampling{.ratio = 1}));
}

TEST_CASE("whichever allocation of an open span fails, the span is finished or counted as dropped") {
  bool any_left = true;
  for (std::uint64_t number = 1; any_left; ++number) {
    REQUIRE(number < 100);
    tracing::Tracer tracer;
    tracing::OpenSpan span(tracer, {.sampled = true}, "a name that is too long for a small string",
                           tracing::SpanKind::internal);
    const std::string text(100, 'x');
    const tracing::Attribute attributes[] = {{"key", text}};
    {
      const FailingAllocation failing(Counted::this_thread, number);
      span.set(attributes[0]);
      span.add_event(text, attributes);
      span.rename(text);
      span.set_status(tracing::SpanStatus::error, text);
      span.end();
      any_left = failing.met();
    }
    CHECK(tracer.state().recorded == 1);
    CHECK(tracer.state().waiting + tracer.state().dropped == 1);
  }
}

TEST_SUITE_END();

}  // namespace volt
