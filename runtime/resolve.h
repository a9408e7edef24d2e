// SPDX-License-Identifier: MIT

// resolve: looks up the addresses of a host name with getaddrinfo(3), on the blocking pool.
//
//   const Result<std::vector<Address>> addresses = co_await resolve("example.org", 443);
//
// Results are cached: addresses for ResolverOptions::keep, failures for keep_failure. Tasks that look up one name at
// the same time share one lookup. A host that is a literal address ("::1", "[::1]", "127.0.0.1") is returned without a
// lookup.
//
// Threads: resolve() is awaited in tasks; a Resolver may be shared by several runtimes. Lifetime: the runtimes that use
// a Resolver keep it alive. Cancellation: a cancelled task stops waiting at once; the lookup continues for other tasks,
// and its result is cached. Memory: at most names_max cached results, each of at most 16 addresses.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "runtime/address.h"
#include "runtime/mutex.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt {

// Returns the addresses of `host`, with any port. May block; called on a thread of the blocking pool.
using NameLookup = std::function<Result<std::vector<Address>>(const std::string& host)>;

// Looks up `host` with getaddrinfo(3), in the machine's order of preference (RFC 6724). Errors: those of
// resolve_category(), or an errno value.
[[nodiscard]] Result<std::vector<Address>> look_up_name(const std::string& host);

// The error category for the EAI_ numbers of getaddrinfo(3): for example EAI_NONAME (the name has no address) and
// EAI_AGAIN (temporary failure).
[[nodiscard]] const std::error_category& resolve_category() noexcept;

struct ResolverOptions {
  // How long a successful lookup is cached; getaddrinfo(3) does not report a lifetime.
  std::chrono::nanoseconds keep = std::chrono::seconds(30);
  std::chrono::nanoseconds keep_failure = std::chrono::seconds(1);  // how long a failed lookup is cached
  std::size_t names_max = 1024;  // maximum number of cached names; the one that expires first is evicted
  NameLookup lookup = look_up_name;
};

// Resolves names with a cache. Must be owned by a std::shared_ptr.
class Resolver : public std::enable_shared_from_this<Resolver> {
 public:
  explicit Resolver(ResolverOptions options = {}) : options_(std::move(options)) {}
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Returns the addresses of `host` with `port`, most preferred first, never empty. Errors: those of the lookup;
  // invalid_argument if `host` is not a valid name; resource_unavailable_try_again if the blocking pool is full.
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
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Name>> names_;  // keyed by host, which may come from a client
};

// Resolves with the runtime's resolver (RuntimeOptions::resolver). Must be called in a task.
[[nodiscard]] Task<Result<std::vector<Address>>> resolve(std::string host, std::uint16_t port);

}  // namespace volt
