// SPDX-License-Identifier: MIT

#include "runtime/log_context.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/blocking.h"
#include "runtime/concurrent.h"
#include "runtime/fork.h"
#include "runtime/logger.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/spawn.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/forked.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

class Order final : public LogContext {
 public:
  explicit Order(int id) : id_(id) {}
  void add_fields(Fields& fields) const noexcept override {
    fields.add("order", id_);
    fields.add("kind", "book");
  }

 private:
  const int id_;
};

// Sets a context for the rest of the calling task's block.
class With {
 public:
  explicit With(const LogContext& context) noexcept { set_log_context(&context); }
  ~With() { set_log_context(nullptr); }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
};

// Returns the lines that the coroutine logs, without their times.
template <class F>
std::string logged_by(F coroutine, std::uint32_t workers = 2) {
  std::string text;
  {
    RuntimeOptions options = test_options(workers);
    options.log = std::make_shared<Log>(
        LogOptions{.flush_timeout = 60s, .sink = [&text](std::string_view lines) { text += lines; }});
    Runtime runtime(options);
    runtime.block_on(std::move(coroutine));
  }
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines += text.substr(text.find(' ', at) + 1, end - text.find(' ', at));
    at = end + 1;
  }
  return lines;
}

Task<> say(std::string text) {
  log(LogLevel::info, text);
  co_return;
}

Task<int> say_later(std::string text) {
  co_await sleep_for(1ms);
  log(LogLevel::info, text);
  co_return 1;
}

Task<> wait_long() { co_await sleep_for(1h); }

}  // namespace

TEST_SUITE_BEGIN("runtime/log_context");

TEST_CASE("the lines of a task have the fields of its context, behind their own, until the context is removed") {
  const std::string lines = logged_by([] -> Task<> {
    const Order order(7);
    log(LogLevel::info, "before");
    {
      const With context(order);
      log(LogLevel::info, "within", {{"a", 1}});
      co_await sleep_for(1ms);
      log(LogLevel::info, "after a wait");
      Logger("shop")(LogLevel::info, "with a module");
      log(LogLevel::info, "with a field of that name", {{"order", "own"}});
    }
    log(LogLevel::info, "after");
  });
  CHECK(lines ==
        "info before\n"
        "info within a=1 order=7 kind=book\n"
        "info after a wait order=7 kind=book\n"
        "info with a module module=shop order=7 kind=book\n"
        "info with a field of that name order=own kind=book\n"
        "info after\n");
}

TEST_CASE("tasks that a task waits for have its context") {
  const struct {
    std::string_view why;
    Task<> (*coroutine)();
    int lines;
  } cases[] = {
      {"Scope",
       [] -> Task<> {
         co_await with_scope([](Scope& scope) -> Task<> {
           scope.spawn(say, std::string("child"));
           scope.spawn(say_later, std::string("later child"));
           co_return;
         });
       },
       2},
      {"all", [] -> Task<> { co_await all([] { return say("a"); }, [] { return say_later("b"); }); }, 2},
      {"race", [] -> Task<> { co_await race([] { return say_later("a"); }, [] { return wait_long(); }); }, 1},
      {"within",
       [] -> Task<> {
         const Result<int> done = co_await within(1h, [] { return say_later("a"); });
         CHECK(done.has_value());
       },
       1},
      {"a child of a child",
       [] -> Task<> {
         co_await all([] -> Task<> { co_await all([] { return say("a"); }, [] { return say("b"); }); },
                      [] { return say("c"); });
       },
       3},
      {"blocking", [] -> Task<> { co_await blocking([] { log(LogLevel::info, "a"); }); }, 1},
      {"block_in_place",
       [] -> Task<> {
         block_in_place([] { log(LogLevel::info, "a"); });
         co_return;
       },
       1},
  };
  for (const auto& [why, coroutine, count] : cases) {
    CAPTURE(why);
    const std::string lines = logged_by([coroutine] -> Task<> {
      const Order order(7);
      const With context(order);
      co_await coroutine();
    });
    CAPTURE(lines);
    CHECK(std::ranges::count(lines, '\n') == count);
    std::size_t found = 0;
    for (std::size_t at = lines.find(" order=7 kind=book\n"); at != std::string::npos;
         at = lines.find(" order=7 kind=book\n", at + 1)) {
      ++found;
    }
    CHECK(found == static_cast<std::size_t>(count));
  }
}

TEST_CASE("a task of spawn() has no context, because it may outlive the one of its creator") {
  const std::string lines = logged_by([] -> Task<> {
    const Order order(7);
    const With context(order);
    JoinHandle<void> spawned = spawn(say, std::string("spawned"));
    co_await std::move(spawned);
  });
  CHECK(lines == "info spawned\n");
}

TEST_CASE("threads of the blocking pool write to the log of the runtime, and keep no context") {
  const std::string lines = logged_by([] -> Task<> {
    const Order order(7);
    {
      const With context(order);
      co_await blocking([] { log(LogLevel::info, "first"); });
    }
    co_await blocking([] {
      log(LogLevel::info, "second");
      log_line("2026 as it is\n");
    });
  });
  CHECK(lines == "info first order=7 kind=book\ninfo second\nas it is\n");
}

// The two functions meet, so another worker runs one of them: that worker has no task, or a task of another context.
TEST_CASE("the functions of a fork have the context of its task, on each worker") {
  const std::string lines = logged_by(
      [] -> Task<> {
        const Order order(7);
        const With context(order);
        test::Meeting meeting;
        const auto meet = [&meeting] {
          const bool met = meeting.meet();
          log(LogLevel::info, met ? "met" : "alone");
          return 0;
        };
        static_cast<void>(fork(meet, meet));
        log(LogLevel::info, "joined");
        co_return;
      },
      4);
  CHECK(lines == "info met order=7 kind=book\ninfo met order=7 kind=book\ninfo joined order=7 kind=book\n");
}

TEST_CASE("a thread of no runtime has no context") { CHECK(current_log_context() == nullptr); }

TEST_SUITE_END();
}  // namespace volt
