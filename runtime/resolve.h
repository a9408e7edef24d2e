// SPDX-License-Identifier: MIT

// resolve: looks up the addresses of a host name, in /etc/hosts and in DNS.
//
//   const Result<std::vector<Address>> addresses = co_await resolve("example.org", 443);
//
// The names are looked up by c-ares, which waits for the name servers without a thread (NameSource). Results are cached
// for the lifetimes of their records (TTL). Tasks that look up one name at the same time share one lookup, which asks
// for the IPv4 and the IPv6 addresses at once. A host that is a literal address ("::1", "[::1]", "127.0.0.1") is
// returned without a lookup. "localhost" and the names below it are never asked of a name server (RFC 6761 section
// 6.3).
//
// Configuration: resolv.conf(5) (servers, search domains, options), nsswitch.conf(5) (the order of file and servers)
// and hosts(5) are read at each lookup that the cache does not answer. So a change of them counts from the next lookup
// on.
//
// Threads: resolve() is awaited in tasks; a Resolver may be shared by several runtimes. Lifetime: the runtimes that use
// a Resolver keep it alive. Cancellation: a cancelled task, such as one in within(), stops waiting at once; the lookup
// continues for other tasks, at most for `timeout`, and its result is cached. Memory: at most names_max cached results,
// each of at most 16 addresses.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/address.h"
#include "runtime/mutex.h"
#include "runtime/resolve_error.h"
#include "runtime/result.h"
#include "runtime/semaphore.h"
#include "runtime/task.h"

namespace volt {

// Returns the addresses of `host`, with any port. May block; called on a thread of the blocking pool.
using NameLookup = std::function<Result<std::vector<Address>>(const std::string& host)>;

// Looks up `host` with getaddrinfo(3), in the machine's order of preference (RFC 6724). Errors: ResolveError; an errno
// value.
[[nodiscard]] Result<std::vector<Address>> look_up_name(const std::string& host);

// The source of the addresses of names.
enum class NameSource : std::uint8_t {
  // c-ares, except for names for which nsswitch.conf(5) lists a module that c-ares does not have (LDAP, mDNS for names
  // below .local, ...): these are asked of getaddrinfo(3). So a program finds what other programs on the machine find.
  // c-ares for each name if `servers` or `resolv_conf` is set.
  automatic,
  dns,     // c-ares for each name: the file of hosts and the name servers
  system,  // getaddrinfo(3) for each name, on the blocking pool: all modules of the system, but no lifetimes
};

struct ResolverOptions {
  NameSource source = NameSource::automatic;
  // How long a successful lookup is cached whose result has no lifetime: of /etc/hosts, getaddrinfo(3) or `lookup`.
  std::chrono::milliseconds keep = std::chrono::seconds(30);
  std::chrono::milliseconds keep_max = std::chrono::minutes(5);  // maximum lifetime of an answer of DNS in the cache
  std::chrono::milliseconds keep_failure = std::chrono::seconds(1);  // how long a failed lookup is cached
  // Maximum time of a lookup (ResolveError::timed_out). A call of getaddrinfo(3) or `lookup` cannot be ended, and may
  // take longer.
  std::chrono::milliseconds timeout = std::chrono::seconds(15);
  std::size_t names_max = 1024;     // maximum number of cached names; the one that expires first is evicted
  std::uint32_t lookups_max = 128;  // maximum number of lookups at a time; others wait, at most 1024; above 0
  NameLookup lookup = {};           // called in place of `source`, if it is set
  // For c-ares: name servers with their ports, such as 127.0.0.1:8600, in place of those of resolv_conf.
  std::vector<Address> servers = {};
  std::string resolv_conf = {};  // for c-ares: file in place of /etc/resolv.conf; empty: that file
  // For c-ares: how long a server may take before the next one is asked, and then this one again, for twice as long.
  // 0: `options timeout:` of resolv.conf if c-ares reads it (from 1.26), else two seconds.
  std::chrono::milliseconds attempt_timeout{0};
};

// Resolves names with a cache. Must be owned by a std::shared_ptr.
class Resolver : public std::enable_shared_from_this<Resolver> {
 public:
  // Throws std::invalid_argument if a server is not an IP address, or a limit is 0.
  explicit Resolver(ResolverOptions options = {});
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Returns the addresses of `host` with `port`, most preferred first, never empty. Errors: ResolveError;
  // invalid_argument if `host` is not a valid name; resource_unavailable_try_again if the blocking pool is full or too
  // many lookups wait; other errors of the lookup, such as too_many_files_open.
  [[nodiscard]] Task<Result<std::vector<Address>>> resolve(std::string host, std::uint16_t port);

 private:
  using Addresses = Result<std::vector<Address>>;
  struct Answer {
    Addresses addresses;
    std::int64_t came_ns;
    std::int64_t good_until_ns;
  };
  struct Name;
  struct Question;

  [[nodiscard]] std::shared_ptr<Name> find(const std::string& host);
  // Returns the cached result that is valid for a request made at `asked_ns`; null if there is none.
  [[nodiscard]] std::shared_ptr<const Answer> answer_for(const Name& name, std::int64_t asked_ns) const;
  void make_room_locked();
  static Task<> ask(Question question);

  const ResolverOptions options_;
  Semaphore lookups_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Name>> names_;  // keyed by host, which may come from a client
};

// Resolves with the runtime's resolver (RuntimeOptions::resolver). Must be called in a task.
[[nodiscard]] Task<Result<std::vector<Address>>> resolve(std::string host, std::uint16_t port);

}  // namespace volt
