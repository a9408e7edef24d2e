// SPDX-License-Identifier: MIT

#include "runtime/resolve.h"

#include <sys/socket.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "runtime/blocking.h"
#include "runtime/concurrent.h"
#include "runtime/internal/dns_lookup.h"
#include "runtime/internal/name_sources.h"
#include "runtime/sched/scheduler.h"
#include "runtime/spawn.h"

namespace volt {
namespace {

using net::FoundAddresses;

constexpr std::size_t kAddressesMax = 16;  // if a connect fails at so many addresses, more would not help
constexpr std::uint32_t kLookupsWaitingMax = 1024;
constexpr const char* kNameSwitch = "/etc/nsswitch.conf";

// Parses `host` as a literal address in full notation; rejects "1.2", which inet_aton would accept.
Result<Address> parse_literal(const std::string& host) {
  if (host.empty()) return error(std::errc::invalid_argument);
  const bool bare_v6 = host.contains(':') && !host.starts_with('[');
  return Address::parse(bare_v6 ? "[" + host + "]:0" : host + ":0");
}

std::string read_name_switch() {
  std::ifstream file(kNameSwitch);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<FoundAddresses> without_lifetime(Result<std::vector<Address>> addresses) {
  if (!addresses) return std::unexpected(addresses.error());
  return FoundAddresses{.addresses = *std::move(addresses), .lifetime = std::nullopt};
}

std::vector<Address> loopback_addresses() {
  return {Address::parse("[::1]:0").value(), Address::parse("127.0.0.1:0").value()};
}

// A lookup after the part that may block: the result, or the query that still waits for name servers.
struct BegunLookup {
  Result<FoundAddresses> found;
  std::unique_ptr<net::DnsQuery> query;
};

BegunLookup begin_query(const ResolverOptions& options, const std::string& host) {
  const net::SpecialName special = net::special_name(host);
  if (special == net::SpecialName::nowhere) return {std::unexpected(make_error_code(ResolveError::not_found)), nullptr};
  auto query = std::make_unique<net::DnsQuery>(net::DnsQuestion{.host = host,
                                                                .servers = options.servers,
                                                                .resolv_conf = options.resolv_conf,
                                                                .attempt_timeout = options.attempt_timeout,
                                                                .asks_servers = special == net::SpecialName::none});
  if (!query->done()) return {{}, std::move(query)};
  Result<FoundAddresses> found = query->take();
  const bool is_missing = !found && found.error().category() == resolve_category();
  if (special == net::SpecialName::loopback && is_missing) found = without_lifetime(loopback_addresses());
  return {std::move(found), nullptr};
}

bool asks_system(const ResolverOptions& options, const std::string& host) {
  if (options.source != NameSource::automatic) return options.source == NameSource::system;
  const bool is_own_dns = !options.servers.empty() || !options.resolv_conf.empty();
  return !is_own_dns && net::needs_system(read_name_switch(), host);
}

// Called on a thread of the blocking pool.
BegunLookup begin_lookup(const ResolverOptions& options, const std::string& host) {
  if (options.lookup) return {without_lifetime(options.lookup(host)), nullptr};
  if (asks_system(options, host)) return {without_lifetime(look_up_name(host)), nullptr};
  return begin_query(options, host);
}

Task<Result<FoundAddresses>> look_up_addresses(const ResolverOptions& options, Semaphore& lookups,
                                               const std::string& host) {
  const Result<Semaphore::Permit> permit = co_await lookups.acquire();
  if (!permit) co_return error(std::errc::resource_unavailable_try_again);
  BegunLookup begun = co_await blocking([&] { return begin_lookup(options, host); });
  if (begun.query == nullptr) co_return std::move(begun.found);
  co_return co_await net::finish(std::move(begun.query));
}

Result<FoundAddresses> usable_addresses(Result<Result<FoundAddresses>> in_time) {
  if (!in_time) return std::unexpected(make_error_code(ResolveError::timed_out));
  Result<FoundAddresses> found = *std::move(in_time);
  if (!found) return found;
  if (found->addresses.empty()) return std::unexpected(make_error_code(ResolveError::no_address));
  if (found->addresses.size() > kAddressesMax) found->addresses.resize(kAddressesMax);
  return found;
}

ResolverOptions checked_options(ResolverOptions options) {
  const auto refuse = [](const std::string& mistake) { throw std::invalid_argument("ResolverOptions::" + mistake); };
  for (const Address& server : options.servers) {
    if (server.family() == AF_INET || server.family() == AF_INET6) continue;
    refuse("servers contains " + server.to_string() + "; it must be an IP address with a port, such as 127.0.0.1:53");
  }
  if (options.lookups_max == 0) refuse("lookups_max is 0; it must be at least 1");
  return options;
}

}  // namespace

// A name that was requested at least once.
struct Resolver::Name {
  explicit Name(std::string asked) : host(std::move(asked)) {}

  const std::string host;
  Mutex asking;                          // held during a lookup; waiting tasks find its result when they get the lock
  std::shared_ptr<const Answer> answer;  // guarded by the resolver's mutex_; null before the first result
};

// The state that the task of a lookup owns.
struct Resolver::Question {
  std::shared_ptr<Resolver> resolver;
  std::shared_ptr<Name> name;
  Mutex::Guard asking;  // destroyed before the name that contains its mutex
};

Resolver::Resolver(ResolverOptions options)
    : options_(checked_options(std::move(options))),
      lookups_(options_.lookups_max, {.waiting_max = kLookupsWaitingMax}) {}

Task<Result<std::vector<Address>>> Resolver::resolve(std::string host, std::uint16_t port) {
  if (const Result<Address> literal = parse_literal(host)) {
    co_return std::vector<Address>{literal->at_port(port)};
  }
  if (!net::is_host_name(host)) co_return error(std::errc::invalid_argument);
  const std::int64_t asked_ns = sched::clock_ns();
  const std::shared_ptr<Name> name = find(host);
  std::shared_ptr<const Answer> answer = answer_for(*name, asked_ns);
  while (!answer) {
    Mutex::Guard guard = co_await name->asking.lock();
    answer = answer_for(*name, asked_ns);
    // The lookup runs in a separate task: the requesting task may be cancelled, and others may need the result.
    if (!answer) spawn(ask, Question{shared_from_this(), name, std::move(guard)}).detach();
  }
  Addresses addresses = answer->addresses;
  if (addresses) {
    for (Address& address : *addresses) address = address.at_port(port);
  }
  co_return addresses;
}

Task<> Resolver::ask(Question question) {
  Resolver& resolver = *question.resolver;
  const ResolverOptions& options = resolver.options_;
  Result<FoundAddresses> found = error(std::errc::operation_canceled);
  try {
    found = usable_addresses(co_await within(
        options.timeout, [&] { return look_up_addresses(options, resolver.lookups_, question.name->host); }));
  } catch (const std::system_error& failure) {  // decided: the pool is full; the requesting tasks get this error
    found = std::unexpected(failure.code());
  } catch (const Cancelled&) {  // decided: the runtime stops; operation_canceled, so that no task repeats the lookup
  } catch (...) {               // decided: a custom lookup threw, although a lookup must return its errors
    found = error(std::errc::io_error);
  }
  const std::int64_t now = sched::clock_ns();
  std::chrono::nanoseconds keep{0};
  if (found) {
    keep = found->lifetime ? std::min<std::chrono::nanoseconds>(*found->lifetime, options.keep_max) : options.keep;
  } else if (found.error().category() == resolve_category()) {  // an error of the name, not of this machine
    keep = options.keep_failure;
  }
  Addresses addresses = found ? Addresses(std::move(found->addresses)) : Addresses(std::unexpect, found.error());
  auto answer = std::make_shared<const Answer>(std::move(addresses), now, sched::moment_after(now, keep));
  const std::scoped_lock lock(resolver.mutex_);
  question.name->answer = std::move(answer);
}

std::shared_ptr<Resolver::Name> Resolver::find(const std::string& host) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = names_.find(host); known != names_.end()) return known->second;
  if (names_.size() >= options_.names_max) make_room_locked();
  return names_.emplace(host, std::make_shared<Name>(host)).first->second;
}

// A result that arrived after the request is valid for that request, even if the result has expired since.
std::shared_ptr<const Resolver::Answer> Resolver::answer_for(const Name& name, std::int64_t asked_ns) const {
  const std::scoped_lock lock(mutex_);
  const bool good = name.answer && (name.answer->came_ns >= asked_ns || name.answer->good_until_ns > asked_ns);
  return good ? name.answer : nullptr;
}

// Evicts the name whose result expires first. Tasks that wait for that name hold a reference to it, and still share its
// result.
void Resolver::make_room_locked() {
  const auto good_until = [](const auto& name) {
    return name.second->answer ? name.second->answer->good_until_ns : sched::TimerNode::kNever;
  };
  if (!names_.empty()) names_.erase(std::ranges::min_element(names_, {}, good_until));
}

Task<Result<std::vector<Address>>> resolve(std::string host, std::uint16_t port) {
  const std::shared_ptr<Resolver> resolver = sched::worker_context("resolve()").scheduler->resolver();
  co_return co_await resolver->resolve(std::move(host), port);
}

}  // namespace volt
