// SPDX-License-Identifier: MIT

// The log of the app under test: captured, and printed only if a test fails.
#include <doctest/doctest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "http/http.h"
#include "http/testing/internal/captured_log.h"
#include "http/testing/test_client.h"
#include "tests/support/captured_stderr.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

App logging_app() {
  App app;
  app.get("/warn", [] {
    log(LogLevel::warning, "stock is low", {{"item", "pen"}});
    return "warned";
  });
  app.get("/throw", []() -> std::string { throw std::runtime_error("no ink"); });
  return app;
}

TestClient logging_client() { return TestClient(logging_app(), {.io = test_options().io}); }

}  // namespace

TEST_SUITE_BEGIN("http/testing/log");

TEST_CASE("a test reads the log of the app, which is not printed") {
  test::CapturedStderr stderr_text;
  {
    TestClient client = logging_client();
    CHECK(client.log() == "");
    CHECK(client.get("/warn").send().body() == "warned");
    CHECK(client.log().contains("warning stock is low item=pen"));
    CHECK(client.get("/throw").send().status() == 500);
    CHECK(client.log().contains("no ink"));
    CHECK(client.log().contains("stock is low"));
  }
  CHECK_FALSE(stderr_text.take().contains("stock is low"));
}

TEST_CASE("the log is printed if an exception ends the test") {
  test::CapturedStderr stderr_text;
  const auto fail = [] {
    TestClient client = logging_client();
    static_cast<void>(client.get("/warn").send());
    throw std::runtime_error("a requirement");
  };
  CHECK_THROWS_AS(fail(), std::runtime_error);
  CHECK(stderr_text.take().contains("warning stock is low item=pen"));
}

TEST_CASE("VOLT_TEST_LOG=1 prints each line at once") {
  ::setenv("VOLT_TEST_LOG", "1", 1);
  test::CapturedStderr stderr_text;
  {
    TestClient client = logging_client();
    static_cast<void>(client.get("/warn").send());
    CHECK(client.log() == "");
  }
  ::unsetenv("VOLT_TEST_LOG");
  CHECK(stderr_text.take().contains("warning stock is low item=pen"));
}

TEST_CASE("a captured log is bounded, by whole lines") {
  testing::CapturedLog captured;
  const std::string line(testing::CapturedLog::kBytesMax / 2, 'x');
  captured.add("first\n" + line + "\n");
  captured.add(line + "\nlast\n");
  CHECK(captured.text() == line + "\nlast\n");
  captured.add(std::string(testing::CapturedLog::kBytesMax + 1, 'y'));
  CHECK(captured.text().empty());
}

}  // namespace volt::http
