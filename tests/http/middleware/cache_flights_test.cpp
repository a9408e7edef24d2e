// SPDX-License-Identifier: MIT

// Concurrent misses of http::cache: one request runs the handler for all.
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/middleware/cache.h"
#include "http/server/app.h"
#include "runtime/spawn.h"
#include "runtime/time.h"
#include "tests/support/in_process_app.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/reported_metrics.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::AppRequest;

// Requests that run at once, on a manual clock: the handler takes `takes`, and composes what `compose` returns.
class ConcurrentRequests {
 public:
  explicit ConcurrentRequests(std::function<Response(int call)> compose, ResponseCacheOptions options = {})
      : cache_(std::make_shared<ResponseCache>(std::move(options))), asked_(make(std::move(compose)), clock()) {}

  // Starts a request; its response is known when it is done.
  JoinHandle<Response> start(FieldsOf fields = {}) {
    questions_.push_back(std::make_unique<AppRequest>(AppRequest{.fields = std::move(fields)}));
    const AppRequest& question = *questions_.back();
    JoinHandle<Response> request = asked_.runtime().spawn(respond_to, borrow(asked_), borrow(question));
    asked_.runtime().advance_clock(0ns);
    return request;
  }
  void advance(std::chrono::nanoseconds time) { asked_.runtime().advance_clock(time); }
  [[nodiscard]] double shared() const {
    return test::ReportedMetrics(*cache_).at("volt_http_cache_requests_total shared");
  }

  int calls = 0;
  std::chrono::seconds takes = 1s;

 private:
  static Task<Response> respond_to(Borrowed<test::InProcessApp> asked, Borrowed<const AppRequest> question) {
    return asked->respond(*question);
  }
  static RuntimeOptions clock() { return test::ManualClockRuntime::options(); }

  App make(std::function<Response(int)> compose) {
    App app;
    app.use(cache(cache_));
    app.get("/", [this, compose = std::move(compose)]() { return call(compose); });
    return app;
  }
  Task<Response> call(const std::function<Response(int)>& compose) {
    const int number = ++calls;
    co_await sleep_for(takes);
    co_return compose(number);
  }

  const std::shared_ptr<ResponseCache> cache_;
  std::vector<std::unique_ptr<AppRequest>> questions_;
  test::InProcessApp asked_;
};

Response numbered(std::string_view cache_control, int call) {
  return Response::text(std::to_string(call)).header("Cache-Control", cache_control);
}

std::string body_of(JoinHandle<Response>& request) {
  REQUIRE(request.done());
  return std::string(request.task().take().body());
}

}  // namespace

TEST_SUITE_BEGIN("http/middleware/cache flights");

TEST_CASE("concurrent misses run the handler once") {
  ConcurrentRequests requests([](int call) { return numbered("max-age=60", call); });
  std::vector<JoinHandle<Response>> running;
  for (int i = 0; i != 5; ++i) running.push_back(requests.start());
  CHECK(requests.calls == 1);
  requests.advance(1s);
  for (JoinHandle<Response>& request : running) CHECK(body_of(request) == "1");
  CHECK(requests.calls == 1);
  CHECK(requests.shared() == 4);
}

TEST_CASE("a leader that fails, or whose client is gone, hands over to the request that has waited longest") {
  for (const bool fails : {true, false}) {
    CAPTURE(fails);
    ConcurrentRequests requests(
        [&](int call) { return fails && call == 1 ? Response(Status::bad_gateway) : numbered("max-age=60", call); });
    JoinHandle<Response> leader = requests.start();
    JoinHandle<Response> second = requests.start();
    JoinHandle<Response> third = requests.start();
    if (fails) {
      requests.advance(1s);
      REQUIRE(leader.done());
      CHECK(leader.task().take().status() == Status::bad_gateway);
    } else {
      leader.cancel();
      requests.advance(0s);
    }
    CHECK(requests.calls == 2);
    requests.advance(1s);
    CHECK(body_of(second) == "2");
    CHECK(body_of(third) == "2");
    CHECK(requests.calls == 2);
  }
}

TEST_CASE("a response that is not kept ends the wait of all, and the next requests do not wait for each other") {
  ConcurrentRequests requests([](int call) { return numbered("private", call); }, {.pass_for = 10s});
  JoinHandle<Response> leader = requests.start();
  JoinHandle<Response> second = requests.start();
  JoinHandle<Response> third = requests.start();
  requests.advance(1s);
  CHECK(body_of(leader) == "1");
  CHECK(requests.calls == 3);  // both at once
  requests.advance(1s);
  CHECK(body_of(second) != body_of(third));
  JoinHandle<Response> fourth = requests.start();
  JoinHandle<Response> fifth = requests.start();
  CHECK(requests.calls == 5);
  requests.advance(1s);
  CHECK(fourth.done());
  CHECK(fifth.done());
  requests.advance(10s);
  JoinHandle<Response> sixth = requests.start();
  JoinHandle<Response> seventh = requests.start();
  CHECK(requests.calls == 6);  // one tries again whether the response is kept
  requests.advance(2s);
  CHECK(sixth.done());
  CHECK(seventh.done());
}

TEST_CASE("a request that has waited for wait_max runs the handler itself") {
  ConcurrentRequests requests([](int call) { return numbered("max-age=60", call); }, {.wait_max = 3s});
  requests.takes = 10s;
  JoinHandle<Response> leader = requests.start();
  JoinHandle<Response> second = requests.start();
  requests.advance(3s);
  CHECK(requests.calls == 2);
  requests.advance(10s);
  CHECK(body_of(leader) == "1");
  CHECK(body_of(second) == "2");
}

TEST_CASE("requests that differ in a field of Vary do not share a response") {
  ConcurrentRequests requests([](int call) { return numbered("max-age=60", call).header("Vary", "Accept-Language"); });
  JoinHandle<Response> german = requests.start({{"Accept-Language", "de"}});
  JoinHandle<Response> french = requests.start({{"Accept-Language", "fr"}});
  JoinHandle<Response> also_german = requests.start({{"Accept-Language", "de"}});
  CHECK(requests.calls == 1);
  requests.advance(1s);
  CHECK(body_of(german) == "1");
  CHECK(body_of(also_german) == "1");
  CHECK(requests.calls == 2);
  requests.advance(1s);
  CHECK(body_of(french) == "2");
}

TEST_CASE("requests with Authorization do not wait for each other") {
  ConcurrentRequests requests([](int call) { return numbered("max-age=60", call); });
  JoinHandle<Response> first = requests.start({{"Authorization", "Bearer a"}});
  JoinHandle<Response> second = requests.start({{"Authorization", "Bearer b"}});
  CHECK(requests.calls == 2);
  requests.advance(1s);
  CHECK(body_of(first) == "1");
  CHECK(body_of(second) == "2");
  JoinHandle<Response> anonymous = requests.start();
  JoinHandle<Response> also_anonymous = requests.start();
  CHECK(requests.calls == 3);  // a response that was not kept for one client does not end the sharing among others
  requests.advance(1s);
  CHECK(body_of(anonymous) == body_of(also_anonymous));
}

TEST_SUITE_END();
}  // namespace volt::http
