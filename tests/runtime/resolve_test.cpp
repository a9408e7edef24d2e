// SPDX-License-Identifier: MIT

#include "runtime/resolve.h"

#include <doctest/doctest.h>

#include <latch>
#include <ostream>
#include <string>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;
using Found = Result<std::vector<Address>>;

Address at(const std::string& text) { return Address::parse(text).value(); }

std::string text_of(const Found& found) {
  if (!found) return found.error().message();
  std::string text;
  for (const Address& address : *found) text += (text.empty() ? "" : " ") + address.to_string();
  return text;
}

// A lookup that counts its calls.
struct Book {
  base::Atomic<int> asked{0};
  Found answer = Found({at("192.0.2.1:0"), at("[2001:db8::1]:0")});

  [[nodiscard]] RuntimeOptions options(ResolverOptions resolver = {}) {
    resolver.lookup = [this](const std::string&) {
      asked.fetch_add(1, base::relaxed);  // relaxed: a count
      return answer;
    };
    RuntimeOptions options = test_options();
    options.manual_clock = true;
    options.resolver = std::make_shared<Resolver>(std::move(resolver));
    return options;
  }
  [[nodiscard]] int times() const { return asked.load(base::relaxed); }  // relaxed: a count
};

Found ask(Runtime& runtime, std::string host) { return runtime.block_on(resolve, std::move(host), std::uint16_t{80}); }

}  // namespace

TEST_SUITE_BEGIN("runtime/resolve");

TEST_CASE("a literal address is returned without a lookup") {
  Book book;
  Runtime runtime(book.options());
  struct Case {
    std::string why;
    std::string host;
    std::string want;
  };
  const Case cases[] = {
      {"IPv4", "127.0.0.1", "127.0.0.1:80"},
      {"IPv6", "::1", "[::1]:80"},
      {"IPv6 in brackets, as in URIs", "[::1]", "[::1]:80"},
  };
  for (const auto& [why, host, want] : cases) {
    CAPTURE(why);
    CHECK(text_of(ask(runtime, host)) == want);
  }
  CHECK(ask(runtime, "").error() == std::errc::invalid_argument);
  CHECK(ask(runtime, std::string("a\0b", 3)).error() == std::errc::invalid_argument);
  CHECK(ask(runtime, std::string(254, 'a')).error() == std::errc::invalid_argument);
  CHECK(book.times() == 0);
}

TEST_CASE("addresses and failures are cached, each for its own time") {
  Book book;
  Runtime runtime(book.options({.keep = 10s, .keep_failure = 2s}));
  CHECK(text_of(ask(runtime, "a.test")) == "192.0.2.1:80 [2001:db8::1]:80");
  runtime.advance_clock(9s);
  static_cast<void>(ask(runtime, "a.test"));
  CHECK(book.times() == 1);
  runtime.advance_clock(2s);
  book.answer = std::unexpected(make_error_code(ResolveError::not_found));
  CHECK(ask(runtime, "a.test").error() == ResolveError::not_found);
  runtime.advance_clock(1s);
  CHECK_FALSE(ask(runtime, "a.test"));
  CHECK(book.times() == 2);
  runtime.advance_clock(2s);
  book.answer = Found({at("192.0.2.9:0")});
  CHECK(text_of(ask(runtime, "a.test")) == "192.0.2.9:80");
  CHECK(book.times() == 3);
}

TEST_CASE("errors that are not the name's are not cached; a name without addresses is a failure") {
  Book book;
  Runtime runtime(book.options());
  book.answer = error(std::errc::too_many_files_open);
  CHECK(ask(runtime, "a.test").error() == std::errc::too_many_files_open);
  runtime.advance_clock(1ms);
  book.answer = Found(std::vector<Address>{});
  CHECK(ask(runtime, "a.test").error() == ResolveError::no_address);
  CHECK(book.times() == 2);
}

TEST_CASE("the number of cached names is limited") {
  Book book;
  Runtime runtime(book.options({.names_max = 2}));
  for (const char* host : {"a.test", "b.test", "c.test", "c.test", "b.test"}) {
    runtime.advance_clock(1s);  // so that the first name expires first
    static_cast<void>(ask(runtime, host));
  }
  CHECK(book.times() == 3);
  static_cast<void>(ask(runtime, "a.test"));
  CHECK(book.times() == 4);
}

TEST_CASE("concurrent requests share one lookup, which outlives the cancel of one of them") {
  base::Atomic<int> asked{0};
  std::latch open(1);
  ResolverOptions resolver;
  resolver.lookup = [&](const std::string&) {
    asked.fetch_add(1, base::relaxed);  // relaxed: a count
    open.wait();
    return Found({at("192.0.2.1:0")});
  };
  RuntimeOptions options = test_options();
  options.resolver = std::make_shared<Resolver>(std::move(resolver));
  Runtime runtime(options);
  std::vector<JoinHandle<Found>> waiting;
  for (int i = 0; i != 16; ++i) {
    waiting.push_back(runtime.spawn(resolve, std::string("a.test"), std::uint16_t{80}));
    if (i == 0) CHECK(test::eventually([&] { return asked.load(base::relaxed) == 1; }));  // relaxed: a count
  }
  waiting.front().cancel();
  CHECK(test::eventually([&] { return waiting.front().done(); }));  // although the lookup is still in progress
  open.count_down();
  for (std::size_t i = 1; i != waiting.size(); ++i) {
    CHECK(test::eventually([&] { return waiting[i].done(); }));
    CHECK(text_of(waiting[i].task().take()) == "192.0.2.1:80");
  }
  CHECK(asked.load(base::relaxed) == 1);  // relaxed: a count
}

TEST_CASE("a lookup that throws, or finds no thread, is an error") {
  ResolverOptions resolver;
  resolver.lookup = [](const std::string&) -> Found { throw 1; };
  RuntimeOptions options = test_options();
  options.resolver = std::make_shared<Resolver>(std::move(resolver));
  {
    Runtime runtime(options);
    CHECK(ask(runtime, "a.test").error() == std::errc::io_error);
  }
  options.blocking_queue_max = 0;
  Runtime runtime(options);
  CHECK(ask(runtime, "b.test").error() == std::errc::resource_unavailable_try_again);
}

TEST_CASE("the system resolves localhost, and not a name that cannot exist") {
  for (const NameSource source : {NameSource::automatic, NameSource::system}) {
    RuntimeOptions options = test_options();
    options.resolver = std::make_shared<Resolver>(ResolverOptions{.source = source});
    Runtime runtime(options);
    const std::string found = text_of(ask(runtime, "localhost"));
    CHECK_MESSAGE((found.contains("127.0.0.1:80") || found.contains("[::1]:80")), found);
    CHECK(ask(runtime, "no such name").error() == std::errc::invalid_argument);
  }
  const Found lost = look_up_name("no such name");
  REQUIRE_FALSE(lost);
  CHECK(lost.error().category() == resolve_category());
}

}  // namespace volt
