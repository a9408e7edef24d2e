// SPDX-License-Identifier: MIT

#include "runtime/resolve.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "runtime/blocking.h"
#include "runtime/sched/scheduler.h"
#include "runtime/spawn.h"

namespace volt {
namespace {

constexpr std::size_t kAddressesMax = 16;   // if a connect fails at so many addresses, more would not help
constexpr std::size_t kNameBytesMax = 253;  // RFC 1035 section 2.3.4

class ResolveCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "resolve"; }
  [[nodiscard]] std::string message(int number) const override { return ::gai_strerror(number); }
};

// Parses `host` as a literal address in full notation; rejects "1.2", which inet_aton would accept.
Result<Address> parse_literal(const std::string& host) {
  if (host.empty()) return error(std::errc::invalid_argument);
  const bool bare_v6 = host.contains(':') && !host.starts_with('[');
  return Address::parse(bare_v6 ? "[" + host + "]:0" : host + ":0");
}

bool is_name(const std::string& host) { return !host.empty() && host.size() <= kNameBytesMax && !host.contains('\0'); }

}  // namespace

const std::error_category& resolve_category() noexcept {
  static const ResolveCategory category;
  return category;
}

Result<std::vector<Address>> look_up_name(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;  // otherwise each address is listed once for every socket type
  addrinfo* found = nullptr;
  const int number = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (number == EAI_SYSTEM) return system_error(errno);
  if (number != 0) return std::unexpected(std::error_code(number, resolve_category()));
  std::vector<Address> addresses;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
    addresses.push_back(Address::from(info->ai_addr, info->ai_addrlen));
  }
  ::freeaddrinfo(found);
  return addresses;
}

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

Task<Result<std::vector<Address>>> Resolver::resolve(std::string host, std::uint16_t port) {
  if (const Result<Address> literal = parse_literal(host)) {
    co_return std::vector<Address>{literal->at_port(port)};
  }
  if (!is_name(host)) co_return error(std::errc::invalid_argument);
  const std::int64_t asked_ns = sched::clock_ns();
  const std::shared_ptr<Name> name = find(host);
  std::shared_ptr<const Answer> answer = answer_for(*name, asked_ns);
  while (!answer) {
    Mutex::Guard guard = co_await name->asking.lock();
    answer = answer_for(*name, asked_ns);
    // The lookup runs in a separate task: the requesting task may be cancelled, but a running lookup cannot be.
    if (!answer) spawn(ask, Question{shared_from_this(), name, std::move(guard)}).detach();
  }
  Addresses addresses = answer->addresses;
  if (addresses) {
    for (Address& address : *addresses) address = address.at_port(port);
  }
  co_return addresses;
}

Task<> Resolver::ask(Question question) {
  const Resolver& resolver = *question.resolver;
  Addresses addresses = error(std::errc::operation_canceled);
  try {
    addresses = co_await blocking([&] { return resolver.options_.lookup(question.name->host); });
    if (addresses && addresses->empty()) addresses = std::unexpected(std::error_code(EAI_NONAME, resolve_category()));
    if (addresses && addresses->size() > kAddressesMax) addresses->resize(kAddressesMax);
  } catch (const std::system_error& failure) {  // decided: the pool is full; the requesting tasks get this error
    addresses = std::unexpected(failure.code());
  } catch (const Cancelled&) {  // decided: the runtime stops; operation_canceled, so that no task repeats the lookup
  } catch (...) {               // decided: a custom lookup threw, although a lookup must return its errors
    addresses = error(std::errc::io_error);
  }
  const bool asked = addresses || addresses.error().category() == resolve_category();
  const std::int64_t now = sched::clock_ns();
  const std::chrono::nanoseconds keep = addresses ? resolver.options_.keep : resolver.options_.keep_failure;
  auto answer = std::make_shared<const Answer>(std::move(addresses), now, asked ? sched::moment_after(now, keep) : now);
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
