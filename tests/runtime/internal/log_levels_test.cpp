// SPDX-License-Identifier: MIT

// Levels of modules, through Log and Logger.
#include "runtime/internal/log_levels.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/base/atomic.h"
#include "runtime/logger.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"

namespace volt {

TEST_SUITE_BEGIN("runtime/internal/log_levels");

TEST_CASE("a line is written if its level reaches that of its module") {
  const struct {
    std::string_view why, levels;
    LogLevel level;
    std::string_view module;
    bool taken;
  } cases[] = {
      {"the level at the start", "", LogLevel::info, "http", true},
      {"below the level at the start", "", LogLevel::debug, "http", false},
      {"a module with a lower level", "http=debug", LogLevel::debug, "http", true},
      {"another module keeps its level", "http=debug", LogLevel::debug, "pg", false},
      {"a module with a higher level", "pg=error", LogLevel::warning, "pg", false},
      {"that level itself", "pg=error", LogLevel::error, "pg", true},
      {"a module that is off", "pg=off", LogLevel::error, "pg", false},
      {"the rest", "error, pg=info", LogLevel::warning, "http", false},
      {"a module, not the rest", "error, pg=info", LogLevel::info, "pg", true},
      {"all off but one", "off, pg=info", LogLevel::error, "http", false},
      {"the one", "off, pg=info", LogLevel::info, "pg", true},
      {"a name is compared whole", "p=debug", LogLevel::debug, "pg", false},
      {"level off is no level of a line", "debug", LogLevel::off, "pg", false},
  };
  for (const auto& [why, levels, level, module, taken] : cases) {
    CAPTURE(why);
    Log log;
    REQUIRE(log.set_levels(levels).has_value());
    CHECK(log.takes(level, module) == taken);
    CHECK(Log({.levels = std::string(levels)}).takes(level, module) == taken);
  }
}

TEST_CASE("levels() returns the levels in the form that set_levels() takes") {
  const struct {
    std::string_view set, shown;
  } cases[] = {
      {"", "info"},
      {"error", "error"},
      {"http=debug", "info, http=debug"},
      {" http = debug ,, \tpg=off,warning\n", "warning, http=debug, pg=off"},
      {"my-module_2.x=info", "info, my-module_2.x=info"},
  };
  for (const auto& [set, shown] : cases) {
    CAPTURE(set);
    Log log;
    REQUIRE(log.set_levels(set).has_value());
    CHECK(log.levels() == shown);
    REQUIRE(log.set_levels(log.levels()).has_value());
    CHECK(log.levels() == shown);
  }
}

TEST_CASE("levels that are not valid are refused with a sentence, and change nothing") {
  std::string many;
  for (int i = 0; i != 65; ++i) many += "m" + std::to_string(i) + "=info,";
  const struct {
    std::string text;
    std::string_view sentence;
  } cases[] = {
      {"loud", "\"loud\" is not a log level: use debug, info, warning, error or off"},
      {"http=loud", "\"loud\" is not a log level: use debug, info, warning, error or off"},
      {"http=", "\"\" is not a log level: use debug, info, warning, error or off"},
      {"=info", "\"\" is not the name of a module: use letters, digits, '_', '-' and '.'"},
      {"a b=info", "\"a b\" is not the name of a module: use letters, digits, '_', '-' and '.'"},
      {"\x1b[2J=info", "\"?[2J\" is not the name of a module: use letters, digits, '_', '-' and '.'"},
      {"http=info, http=debug", "the levels name \"http\" twice"},
      {"info, debug", "the levels contain two without a module: \"debug\" is the second one"},
      {many, "the levels name more than 64 modules"},
  };
  for (const auto& [text, sentence] : cases) {
    CAPTURE(text);
    Log log({.levels = "pg=error"});
    const auto set = log.set_levels(text);
    REQUIRE(!set.has_value());
    CHECK(set.error() == sentence);
    CHECK(log.levels() == "info, pg=error");
    CHECK_THROWS_AS(Log({.levels = text}), std::invalid_argument);
  }
}

TEST_CASE("a Logger writes lines of its module, and knows whether they are written") {
  std::string text;
  {
    RuntimeOptions options = test_options();
    options.log = std::make_shared<Log>(LogOptions{.level = LogLevel::warning,
                                                   .levels = "orders=debug",
                                                   .format = LogFormat::logfmt,
                                                   .flush_timeout = std::chrono::minutes(1),
                                                   .sink = [&text](std::string_view lines) { text += lines; }});
    Runtime runtime(options);
    runtime.block_on([] -> Task<> {
      constexpr Logger orders("orders");
      constexpr Logger others("others");
      orders(LogLevel::debug, "placed", {{"id", 7}});
      others(LogLevel::info, "not written");
      others(LogLevel::error, "failed");
      log(LogLevel::info, "not written either");
      log(LogLevel::warning, "mine");
      CHECK(orders.takes(LogLevel::debug));
      CHECK(!others.takes(LogLevel::info));
      co_return;
    });
    Logger("main").to(runtime.log(), LogLevel::warning, "from outside");
  }
  CHECK(text.contains(" level=debug msg=placed id=7 module=orders\n"));
  CHECK(text.contains(" level=error msg=failed module=others\n"));
  CHECK(text.contains(" level=warning msg=mine\n"));
  CHECK(text.contains(" level=warning msg=\"from outside\" module=main\n"));
  CHECK(!text.contains("not written"));
}

TEST_CASE("levels can be changed while lines are written") {
  std::string text;
  {
    Log log({.flush_timeout = std::chrono::minutes(1), .sink = [&text](std::string_view lines) { text += lines; }});
    base::Atomic<bool> done{false};
    std::thread changer([&] {
      for (int i = 0; i != 200; ++i) {
        const auto set = log.set_levels(i % 2 == 0 ? "warning, a=debug, b=error" : "info, c=off");
        CHECK(set.has_value());
      }
      done.store(true, base::relaxed);  // relaxed: only ends the loop
    });
    while (!done.load(base::relaxed)) log.write("b", LogLevel::warning, "line", {});  // relaxed: as above
    changer.join();
    log.flush(std::chrono::minutes(1));  // makes room: lines are dropped while the buffer is full
    log.write("a", LogLevel::info, "last", {});
  }
  CHECK(text.contains(" info last module=a\n"));
}

TEST_SUITE_END();
}  // namespace volt
