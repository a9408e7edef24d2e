// Tests the app without a port and without waiting: TestClient has a clock of its own.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "app.h"

#include <doctest/doctest.h>
#include <http/testing/test_client.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using volt::http::TestClient;

}  // namespace

TEST_CASE("a guest is greeted with the word of the settings") {
  TestClient client(make_app({.greeting = "Welcome"}));
  const auto response = client.get("/hello/ann").send();
  CHECK(response.status() == 200);
  CHECK(response.body() == R"({"text":"Welcome, ann!"})");
}

TEST_CASE("a greeting takes a second") {
  TestClient client(make_app({}));
  auto waiting = client.get("/later/ann").start();
  client.clock().advance(1s);  // a second of the app's time
  CHECK(waiting.wait().body() == R"({"text":"Hello at last, ann!"})");
}

TEST_CASE("an invitation greets each guest") {
  TestClient client(make_app({.guests_max = 2}));
  const auto invite = [&](const char* body) {
    return client.post("/invitations").body(body, "application/json").send();
  };
  CHECK(invite(R"({"guests":["ann","bob"]})").body() == R"([{"text":"Hello, ann!"},{"text":"Hello, bob!"}])");
  CHECK(invite(R"({"guests":[]})").status() == 422);
  CHECK(invite(R"({"guests":["ann","bob","eve"]})").status() == 422);
  CHECK(invite("not JSON").status() == 400);
}
