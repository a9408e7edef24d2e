// SPDX-License-Identifier: MIT

#include "runtime/recent_errors.h"

#include <doctest/doctest.h>

#include <string>

#include "runtime/logger.h"

namespace volt {
namespace {

LogOptions silent() {
  return {.levels = "quiet=off", .sink = [](std::string_view) {}};
}

}  // namespace

TEST_SUITE_BEGIN("runtime/recent_errors");

TEST_CASE("a line of level error is listed with its route and request, without its path") {
  Log log(silent());
  log.write(LogLevel::warning, "no error");
  Logger("quiet").to(log, LogLevel::error, "switched off");
  Logger("http").to(log, LogLevel::error, "handler threw",
                    {{"pattern", "/orders/{id}"}, {"path", "/orders/secret"}, {"request_id", "a-1"}, {"status", 500}});
  const auto errors = log.recent_errors().list();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].module == "http");
  CHECK(errors[0].pattern == "/orders/{id}");
  CHECK(errors[0].request_id == "a-1");
  CHECK(errors[0].text == "handler threw pattern=/orders/{id} request_id=a-1 status=500 module=http");
  CHECK(errors[0].time <= std::chrono::system_clock::now());
}

TEST_CASE("the last twenty are kept, the newest first, and long ones are cut") {
  Log log(silent());
  log.write(LogLevel::error, std::string(10'000, 'x'));
  CHECK(log.recent_errors().list()[0].text == std::string(RecentErrors::kTextBytesMax, 'x'));
  for (int i = 0; i != 25; ++i) log.write(LogLevel::error, "failed", {{"i", i}});
  const auto errors = log.recent_errors().list();
  REQUIRE(errors.size() == RecentErrors::kKept);
  CHECK(errors.front().text == "failed i=24");
  CHECK(errors.back().text == "failed i=5");
  CHECK(errors.front().module == "app");
}

TEST_SUITE_END();

}  // namespace volt
