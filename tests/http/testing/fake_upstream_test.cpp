// SPDX-License-Identifier: MIT

#include "http/testing/fake_upstream.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "http/client/client.h"
#include "http/client/client_error.h"
#include "http/http.h"
#include "http/testing/test_client.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using SharedHttpClient = std::shared_ptr<HttpClient>;

struct Question {
  std::string uri;
};

// Asks the upstream, and responds with its status and body, or with the error.
Task<std::string> relay(State<SharedHttpClient> upstream, Query<Question> question) {
  ClientRequest request(Method::post, question->uri);
  request.body("hello", "text/plain").header("X-Trace", "7");
  Result<ClientResponse> response = co_await (*upstream)->send(std::move(request));
  if (!response) co_return response.error().message();
  const Result<std::string> text = co_await response->text();
  co_return std::to_string(code(response->status())) + " " + (text ? *text : text.error().message());
}

struct Scene {
  explicit Scene(ClientOptions options = {}) {
    upstream.app().post("/rates/{currency}", [](Path<std::string> currency) { return "rate of " + *currency; });
    upstream.app().post(
        "/rows", [] { return stream("text/csv", [](BodyWriter& out) -> Task<> { co_await out.write("row"); }); });
    options.connector = upstream.connector();
    App app;
    app.state(std::make_shared<HttpClient>(std::move(options)));
    app.get("/ask", relay);
    client = std::make_unique<TestClient>(std::move(app), TestClientOptions{.io = test_options().io});
  }
  TestRequest request(std::string_view uri = "http://rates.example/rates/EUR") {
    return client->get("/ask").query("uri", uri);
  }
  std::string ask(std::string_view uri = "http://rates.example/rates/EUR") { return request(uri).send().body(); }

  FakeUpstream upstream;
  std::unique_ptr<TestClient> client;
};

}  // namespace

TEST_SUITE_BEGIN("http/testing/fake_upstream");

TEST_CASE("an app answers the requests of a client, and records them") {
  Scene scene;
  CHECK(scene.ask("https://rates.example/rates/EUR?day=1") == "200 rate of EUR");
  CHECK(scene.ask("http://other.example:8080/none") == R"(404 {"title":"Not Found","status":404})");
  const std::vector<FakeRequest> requests = scene.upstream.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].method == Method::post);
  CHECK(requests[0].target == "/rates/EUR?day=1");
  CHECK(requests[0].host == "rates.example");
  CHECK(requests[0].header("x-trace") == "7");
  CHECK(requests[0].body == "hello");
  CHECK(requests[1].host == "other.example:8080");
  CHECK(scene.upstream.connections() == 2);
  CHECK_THROWS_AS(static_cast<void>(scene.upstream.app()), std::logic_error);
}

TEST_CASE("failures show in their order, each in one request") {
  Scene scene;
  scene.upstream.refuse().respond(Status::service_unavailable, 2).drop().cut(4).cut(100).cut();
  CHECK(scene.upstream.failures_left() == 7);
  CHECK(scene.ask() == std::make_error_code(std::errc::connection_refused).message());
  CHECK(scene.ask() == "503 Service Unavailable");
  CHECK(scene.ask() == "503 Service Unavailable");
  const std::string dropped = scene.ask();
  CHECK_FALSE(dropped.starts_with("200"));
  CHECK_FALSE(dropped.contains("rate"));
  for (int i = 0; i < 3; ++i) {
    const std::string cut = scene.ask(i < 2 ? "http://a/rates/EUR" : "http://a/rows");
    CHECK(cut.starts_with("200 "));
    CHECK_FALSE(cut.contains("rate"));
  }
  CHECK(scene.ask() == "200 rate of EUR");
  CHECK(scene.upstream.failures_left() == 0);
  CHECK(scene.upstream.connections() == 8);
  CHECK(scene.upstream.requests().size() == 6);
  CHECK_THROWS_AS(scene.upstream.refuse(0), std::invalid_argument);
}

TEST_CASE("a delay passes by the clock of the test") {
  Scene scene({.response_timeout = 5s});
  scene.upstream.delay(4s).delay(1h);
  auto slow = scene.request().start();
  scene.client->clock().advance(3s);
  CHECK_FALSE(slow.done());
  scene.client->clock().advance(2s);
  CHECK(slow.wait().body() == "200 rate of EUR");
  auto late = scene.request().start();
  scene.client->clock().advance(6s);
  CHECK(late.wait().body() == std::make_error_code(std::errc::timed_out).message());
}

TEST_CASE("retries of the client are seen by the fake") {
  Scene scene({.retry = {.attempts_max = 3, .random = [] { return 0.0; }}});
  scene.upstream.refuse(2);
  auto asked = scene.request().start();
  scene.client->clock().advance(10s);
  CHECK(asked.wait().body() == "200 rate of EUR");
  CHECK(scene.upstream.connections() == 3);
  CHECK(scene.upstream.requests().size() == 1);
}

TEST_CASE("a fake that is invalid fails the request, and one without requests is fine") {
  FakeUpstream unused;
  unused.app().get("/", [] { return "never"; });
  CHECK(unused.requests().empty());
  Scene scene;
  scene.upstream.app().post("/rates/{other}", [](Path<std::string> other) { return *other; });
  for (int i = 0; i < 2; ++i) CHECK(scene.request().send().status() == 500);
  CHECK(scene.client->log().contains("matches the same paths as"));
}

}  // namespace volt::http
