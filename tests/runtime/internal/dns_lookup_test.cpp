// SPDX-License-Identifier: MIT

// The lookups of a Resolver by c-ares, against a name server of the test.

#include "runtime/internal/dns_lookup.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <algorithm>
#include <fstream>
#include <latch>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/concurrent.h"
#include "runtime/resolve.h"
#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "tests/support/directory.h"
#include "tests/support/dns_server.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;
using test::dns_a;
using test::dns_aaaa;
using test::dns_cname;
using test::DnsAsked;
using test::DnsReply;
using test::DnsServer;
using test::DnsType;
using Resolved = Result<std::vector<Address>>;

constexpr std::uint16_t kPort = 80;
constexpr auto kTimeToAnswer = 200ms;  // for the test's own server, also on a busy machine

std::string described(const Resolved& resolved) {
  if (!resolved) return resolved.error().message();
  std::vector<std::string> texts;  // sorted, since the order of the families depends on the machine's routes
  for (const Address& address : *resolved) texts.push_back(address.to_string());
  std::ranges::sort(texts);
  std::string text;
  for (const std::string& each : texts) text += (text.empty() ? "" : " ") + each;
  return text;
}

// Answers each name that exists with one address of each family, whose records live for `ttl_s`.
DnsReply two_families(const DnsAsked& asked, std::uint32_t ttl_s) {
  if (asked.type == DnsType::a) return {.records = {dns_a("192.0.2.1", ttl_s)}};
  return {.records = {dns_aaaa("2001:db8::1", ttl_s)}};
}

struct Setup {
  bool manual_clock = true;
  ResolverOptions resolver = {};
};

RuntimeOptions options_for(const DnsServer& server, Setup setup = {}) {
  setup.resolver.servers.push_back(server.address());
  if (setup.resolver.resolv_conf.empty()) setup.resolver.resolv_conf = "/dev/null";
  RuntimeOptions options = test_options();
  options.manual_clock = setup.manual_clock;
  options.resolver = std::make_shared<Resolver>(std::move(setup.resolver));
  return options;
}

Resolved look_up(Runtime& runtime, std::string host) { return runtime.block_on(resolve, std::move(host), kPort); }

JoinHandle<Resolved> begin_look_up(Runtime& runtime, std::string host) {
  return runtime.spawn(resolve, std::move(host), kPort);
}

Resolved result_of(const JoinHandle<Resolved>& lookup) {
  REQUIRE(test::eventually([&] { return lookup.done(); }));
  return lookup.task().take();
}

Task<bool> times_out(std::string host, std::chrono::nanoseconds limit) {
  const Result<Resolved> resolved = co_await within(limit, [&] { return resolve(host, kPort); });
  co_return !resolved;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/internal/dns_lookup");

TEST_CASE("answers of a name server become addresses or an error that says why there are none") {
  DnsServer server([](const DnsAsked& asked) -> DnsReply {
    const bool v4 = asked.type == DnsType::a;
    if (asked.name == "both.test") return two_families(asked, 60);
    if (asked.name == "v4.test" && v4) return {.records = {dns_a("192.0.2.4", 60), dns_a("192.0.2.5", 60)}};
    if (asked.name == "v6.test" && !v4) return {.records = {dns_aaaa("2001:db8::6", 60)}};
    if (asked.name == "alias.test" && v4) {
      return {.records = {dns_cname("middle.test", 60), owned_by("middle.test", dns_cname("end.test", 60)),
                          owned_by("end.test", dns_a("192.0.2.7", 60))}};
    }
    if (asked.name == "v4.test" || asked.name == "v6.test" || asked.name == "alias.test") return {};
    if (asked.name == "empty.test") return {};
    if (asked.name == "failed.test") return {.code = test::kServFail};
    if (asked.name == "forged.test" && v4) return {.records = {dns_a("192.0.2.8", 60)}, .forged_first = true};
    if (asked.name == "forged.test") return {};
    return {.code = test::kNxDomain};
  });
  Runtime runtime(options_for(server));
  struct Case {
    std::string why;
    std::string host;
    std::string want;
  };
  const Case cases[] = {
      {"an address of each family", "both.test", "192.0.2.1:80 [2001:db8::1]:80"},
      {"several IPv4 addresses", "v4.test", "192.0.2.4:80 192.0.2.5:80"},
      {"IPv6 only", "v6.test", "[2001:db8::6]:80"},
      {"a chain of aliases", "alias.test", "192.0.2.7:80"},
      {"no record of a family", "empty.test", make_error_code(ResolveError::no_address).message()},
      {"an unknown name", "unknown.test", make_error_code(ResolveError::not_found).message()},
      {"a server that fails", "failed.test", make_error_code(ResolveError::server_failed).message()},
      {"an answer with another id comes first", "forged.test", "192.0.2.8:80"},
  };
  for (const auto& [why, host, want] : cases) {
    CAPTURE(why);
    CHECK(described(look_up(runtime, host)) == want);
    CHECK(server.asked(host) >= 2);
  }
}

TEST_CASE("a truncated answer is asked for again over TCP, and of many addresses 16 are kept") {
  DnsServer server([](const DnsAsked& asked) -> DnsReply {
    DnsReply reply{.truncated = true};
    if (asked.type != DnsType::a) return {};
    for (int i = 1; i != 100; ++i) reply.records.push_back(dns_a("192.0.2." + std::to_string(i), 60));
    return reply;
  });
  const std::size_t descriptors = test::open_descriptors();
  {
    Runtime runtime(options_for(server));
    const Resolved resolved = look_up(runtime, "many.test");
    REQUIRE_MESSAGE(resolved, resolved.error().message());
    CHECK(resolved->size() == 16);
  }
  CHECK(std::ranges::count(server.queries(), true, &DnsAsked::over_tcp) == 1);
  // The server closes its side of the connection when it has read its end.
  CHECK(test::eventually([&] { return test::open_descriptors() == descriptors; }));
}

TEST_CASE("localhost and names that cannot exist are not asked of a server") {
  DnsServer server([](const DnsAsked& asked) { return two_families(asked, 60); });
  Runtime runtime(options_for(server));
  for (const char* host : {"localhost", "LOCALHOST.", "app.localhost"}) {
    CAPTURE(host);
    const std::string found = described(look_up(runtime, host));
    CHECK_MESSAGE((found.contains("127.0.0.1:80") || found.contains("[::1]:80")), found);
  }
  for (const char* host : {"no-such-name.invalid", "abcdef.onion"}) {
    CAPTURE(host);
    CHECK(look_up(runtime, host).error() == ResolveError::not_found);
  }
  CHECK(look_up(runtime, "no such name").error() == std::errc::invalid_argument);
  CHECK(server.queries().empty());
}

TEST_CASE("names of /etc/hosts have the addresses of the file") {
  DnsServer server([](const DnsAsked&) -> DnsReply { return {.code = test::kNxDomain}; });
  Runtime runtime(options_for(server));
  std::ifstream hosts("/etc/hosts");
  int names_left = 8;  // a file that blocks advertisements has thousands
  for (std::string line; std::getline(hosts, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string literal;
    words >> literal;
    const Result<Address> address = Address::parse(literal.contains(':') ? "[" + literal + "]:80" : literal + ":80");
    for (std::string host; address && words >> host && names_left != 0; --names_left) {
      CAPTURE(host);
      CHECK_MESSAGE(described(look_up(runtime, host)).contains(address->to_string()), address->to_string());
    }
  }
  CHECK(server.queries().empty());
}

TEST_CASE("the search domains of resolv.conf are tried, and a change of the file counts from the next lookup on") {
  DnsServer server([](const DnsAsked& asked) -> DnsReply {
    if (asked.name == "db.second.test" || asked.name == "web.third.test") return two_families(asked, 60);
    return {.code = test::kNxDomain};
  });
  const test::Directory directory;
  const std::string path = (directory.path() / "resolv.conf").string();
  std::ofstream(path) << "search first.test second.test\n";
  Runtime runtime(options_for(server, {.resolver = {.resolv_conf = path}}));
  CHECK(described(look_up(runtime, "db")) == "192.0.2.1:80 [2001:db8::1]:80");
  CHECK(server.asked("db.first.test") == 2);
  std::ofstream(path) << "search third.test\n";
  CHECK(described(look_up(runtime, "web")) == "192.0.2.1:80 [2001:db8::1]:80");
  CHECK(server.asked("web.first.test") == 0);
}

TEST_CASE("a result is cached for the shortest lifetime of its records, at most keep_max") {
  DnsServer server([](const DnsAsked& asked) -> DnsReply {
    if (asked.name == "day.test") return two_families(asked, 86'400);
    if (asked.name == "never.test") return two_families(asked, 0);
    if (asked.name == "unknown.test") return {.code = test::kNxDomain};
    if (asked.type != DnsType::a) return {};
    return {.records = {dns_cname("end.test", 10), owned_by("end.test", dns_a("192.0.2.7", 100))}};
  });
  struct Case {
    std::string why;
    std::string host;
    std::chrono::seconds lifetime;
  };
  const Case cases[] = {
      {"an alias that lives shorter than its address", "alias.test", 10s},
      {"records that live beyond keep_max", "day.test", 300s},
      {"records that must not be cached", "never.test", 0s},
      {"a failure", "unknown.test", 2s},
  };
  Runtime runtime(options_for(server, {.resolver = {.keep_max = 300s, .keep_failure = 2s}}));
  for (const auto& [why, host, lifetime] : cases) {
    CAPTURE(why);
    const std::string first = described(look_up(runtime, host));
    if (lifetime > 0s) {
      runtime.advance_clock(lifetime - 1s);
      CHECK(described(look_up(runtime, host)) == first);
      CHECK(server.asked(host) == 2);
    }
    runtime.advance_clock(1s);
    CHECK(described(look_up(runtime, host)) == first);
    CHECK(server.asked(host) == 4);
  }
}

TEST_CASE("concurrent lookups of one name ask once, and outlive the cancel of one of them") {
  std::latch open(1);
  DnsServer server([&](const DnsAsked& asked) {
    open.wait();
    return two_families(asked, 60);
  });
  Runtime runtime(options_for(server));
  std::vector<JoinHandle<Resolved>> lookups;
  for (int i = 0; i != 100; ++i) lookups.push_back(begin_look_up(runtime, "busy.test"));
  CHECK(test::eventually([&] { return server.asked("busy.test") == 1; }));
  lookups.front().cancel();
  CHECK(test::eventually([&] { return lookups.front().done(); }));  // although no answer has come
  open.count_down();
  for (std::size_t i = 1; i != lookups.size(); ++i) {
    CHECK(described(result_of(lookups[i])) == "192.0.2.1:80 [2001:db8::1]:80");
  }
  CHECK(server.asked("busy.test") == 2);  // once for each family
}

TEST_CASE("without an answer, a lookup ends at the caller's deadline, and at the limit of the resolver") {
  DnsServer server([](const DnsAsked&) -> DnsReply { return {.silent = true}; });
  Runtime runtime(options_for(server, {.resolver = {.timeout = 10s}}));
  auto impatient = runtime.spawn(times_out, std::string("silent.test"), std::chrono::nanoseconds(2s));
  const auto patient = begin_look_up(runtime, "silent.test");
  CHECK(test::eventually([&] { return server.asked("silent.test") >= 2; }));  // both families, before any answer
  runtime.advance_clock(3s);
  CHECK(test::eventually([&] { return impatient.done(); }));
  CHECK(impatient.task().take());
  CHECK_FALSE(patient.done());
  runtime.advance_clock(8s);
  const Resolved resolved = result_of(patient);
  CHECK(resolved.error() == ResolveError::timed_out);
  CHECK(resolved.error() == std::errc::timed_out);
}

TEST_CASE("a server that does not answer is asked again, and the next one after it") {
  DnsServer silent([](const DnsAsked&) -> DnsReply { return {.silent = true}; });
  DnsServer second([](const DnsAsked& asked) { return two_families(asked, 60); });
  {
    Runtime runtime(options_for(silent, {.manual_clock = false, .resolver = {.attempt_timeout = 10ms}}));
    CHECK(look_up(runtime, "a.test").error() == ResolveError::timed_out);
    CHECK(test::eventually([&] { return silent.asked("a.test") >= 4; }));
  }
  CHECK(silent.asked("a.test") == 4);  // two attempts for each family
  Runtime runtime(options_for(
      second, {.manual_clock = false, .resolver = {.servers = {silent.address()}, .attempt_timeout = kTimeToAnswer}}));
  // Of one family at least: c-ares 1.34 asks no second time for one family when the other one has been answered.
  const Resolved resolved = look_up(runtime, "b.test");
  CHECK_MESSAGE(resolved, described(resolved));
  CHECK(test::eventually([&] { return silent.asked("b.test") >= 1; }));
}

TEST_CASE("the addresses of one family are enough if the question for the other one is not answered") {
  DnsServer server([](const DnsAsked& asked) -> DnsReply {
    if (asked.type == DnsType::aaaa) return {.silent = true};
    return {.records = {dns_a("192.0.2.1", 60)}};
  });
  Runtime runtime(options_for(server, {.manual_clock = false, .resolver = {.attempt_timeout = kTimeToAnswer}}));
  CHECK(described(look_up(runtime, "a.test")) == "192.0.2.1:80");
}

TEST_CASE("connect() by name reaches a server whose IPv6 address leads nowhere") {
  DnsServer server([](const DnsAsked& asked) -> DnsReply {
    if (asked.type == DnsType::a) return {.records = {dns_a("127.0.0.1", 60)}};
    return {.records = {dns_aaaa("2001:db8::1", 60)}};  // for documents (RFC 3849), so without a host
  });
  Runtime runtime(options_for(server, {.manual_clock = false}));
  const TcpListener listener = TcpListener::bind(Address::parse("127.0.0.1:0").value()).value();
  const std::uint16_t port = listener.local_address().port();
  const Result<TcpStream> stream = runtime.block_on([&] { return TcpStream::connect("app.test", port); });
  REQUIRE_MESSAGE(stream, stream.error().message());
  CHECK(stream->peer_address().value() == listener.local_address());
  CHECK(server.asked("app.test") == 2);
}

TEST_CASE("without a name server at the address, a lookup fails at once") {
  Address address;
  {
    address = DnsServer([](const DnsAsked&) { return DnsReply(); }).address();
  }
  RuntimeOptions options = test_options();
  options.manual_clock = true;
  options.resolver = std::make_shared<Resolver>(
      ResolverOptions{.source = NameSource::dns, .servers = {address}, .resolv_conf = "/dev/null"});
  Runtime runtime(options);
  CHECK(look_up(runtime, "a.test").error() == ResolveError::server_failed);
}

TEST_CASE("lookups beyond lookups_max wait for their turn, at most as long as a lookup") {
  DnsServer server([](const DnsAsked&) -> DnsReply { return {.silent = true}; });
  Runtime runtime(options_for(server, {.resolver = {.timeout = 10s, .lookups_max = 1}}));
  const auto first = begin_look_up(runtime, "first.test");
  CHECK(test::eventually([&] { return server.asked("first.test") == 2; }));
  auto second = runtime.spawn(times_out, std::string("second.test"), std::chrono::nanoseconds(2s));
  runtime.advance_clock(3s);
  CHECK(test::eventually([&] { return second.done(); }));
  CHECK(second.task().take());
  CHECK(server.asked("second.test") == 0);
  const auto third = begin_look_up(runtime, "second.test");
  runtime.advance_clock(10s);
  CHECK(result_of(first).error() == ResolveError::timed_out);
  runtime.advance_clock(10s);
  CHECK(result_of(third).error() == ResolveError::timed_out);
}

TEST_CASE("a runtime ends while a lookup waits for an answer") {
  DnsServer server([](const DnsAsked&) -> DnsReply { return {.silent = true}; });
  Runtime runtime(options_for(server));
  const auto lookup = begin_look_up(runtime, "silent.test");
  CHECK(test::eventually([&] { return server.asked("silent.test") == 2; }));
}

TEST_CASE("options that cannot be meant are refused") {
  CHECK_THROWS_AS(Resolver(ResolverOptions{.servers = {Address::parse("unix:/run/dns").value()}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(Resolver(ResolverOptions{.lookups_max = 0}), std::invalid_argument);
}

}  // namespace volt
