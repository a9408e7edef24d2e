// resolve: the addresses of a name, as getaddrinfo(3) knows them, which the blocking pool asks.
//
//   const Result<std::vector<Address>> addresses = co_await resolve("example.org", 443);
//
// Answers are kept for a while, failures for a moment; tasks that ask for one name at once share one question. A name
// that is an address ("::1", "[::1]", "127.0.0.1") is that address, and nobody is asked.
//
// Threads: resolve() in tasks; a Resolver may be shared by runtimes. Lifetime: a Resolver outlives the runtimes that
// use it, which hold it. Cancellation: whoever is cancelled stops waiting at once; the question goes on for the others,
// and for those who ask later. Memory: names_max answers of at most 16 addresses.
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

// Addresses of `host`, at any port; may block, and is called on a thread for that.
using NameLookup = std::function<Result<std::vector<Address>>(const std::string& host)>;

// getaddrinfo(3), with the machine's order of preference (RFC 6724). Errors: of resolve_category().
[[nodiscard]] Result<std::vector<Address>> look_up_name(const std::string& host);

// The EAI_ numbers of getaddrinfo(3): EAI_NONAME, the name has no address; EAI_AGAIN, perhaps later; ...
[[nodiscard]] const std::error_category& resolve_category() noexcept;

struct ResolverOptions {
  // getaddrinfo does not say how long an answer is good for.
  std::chrono::nanoseconds keep = std::chrono::seconds(30);
  std::chrono::nanoseconds keep_failure = std::chrono::seconds(1);
  std::size_t names_max = 1024;  // answers kept: the one that is good for least long goes first
  NameLookup lookup = look_up_name;
};

// Held by a shared_ptr.
class Resolver : public std::enable_shared_from_this<Resolver> {
 public:
  explicit Resolver(ResolverOptions options = {}) : options_(std::move(options)) {}
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Best first, never empty. Errors: those of the lookup; invalid_argument for what is no name;
  // resource_unavailable_try_again if the blocking pool is full.
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
  // What is known of the name that was asked for at that time.
  [[nodiscard]] std::shared_ptr<const Answer> answer_for(const Name& name, std::int64_t asked_ns) const;
  void make_room_locked();
  static Task<> ask(Question question);

  const ResolverOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Name>> names_;  // by the host, which a client may have chosen
};

// Asks the runtime's resolver (RuntimeOptions::resolver). In a task.
[[nodiscard]] Task<Result<std::vector<Address>>> resolve(std::string host, std::uint16_t port);

}  // namespace volt
