// SPDX-License-Identifier: MIT

#include "redis/internal/exchange.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "redis/error.h"
#include "runtime/select.h"
#include "runtime/time.h"

namespace volt::redis::internal {
namespace {

struct Unshareable {
  std::string_view name;
  std::string_view instead;
};

constexpr std::string_view kBlocks = "it would keep the commands of other tasks waiting";
constexpr std::array kUnshareable = std::to_array<Unshareable>({
    {"AUTH", "put the user and the password into the URL"},
    {"BLMOVE", kBlocks},
    {"BLMPOP", kBlocks},
    {"BLPOP", kBlocks},
    {"BRPOP", kBlocks},
    {"BRPOPLPUSH", kBlocks},
    {"BZMPOP", kBlocks},
    {"BZPOPMAX", kBlocks},
    {"BZPOPMIN", kBlocks},
    {"DISCARD", "use Pool::transaction()"},
    {"EXEC", "use Pool::transaction()"},
    {"HELLO", "the connections speak RESP2"},
    {"MONITOR", "its connection has no other use"},
    {"MULTI", "use Pool::transaction()"},
    {"PSUBSCRIBE", "use Pool::subscribe_to_patterns()"},
    {"PSYNC", "its connection has no other use"},
    {"PUNSUBSCRIBE", "use Subscription::remove()"},
    {"QUIT", "destroy the pool"},
    {"RESET", "the connection is shared"},
    {"SELECT", "put the database into the URL"},
    {"SSUBSCRIBE", "use Pool::subscribe()"},
    {"SUBSCRIBE", "use Pool::subscribe()"},
    {"SUNSUBSCRIBE", "use Subscription::remove()"},
    {"SYNC", "its connection has no other use"},
    {"UNSUBSCRIBE", "use Subscription::remove()"},
    {"UNWATCH", "use a Script"},
    {"WAIT", kBlocks},
    {"WAITAOF", kBlocks},
    {"WATCH", "use a Script"},
});

static_assert(std::ranges::is_sorted(kUnshareable, {}, &Unshareable::name));

// For each letter, the index of the first name of kUnshareable that begins with it or a later one.
constexpr auto kFirstByLetter = [] {
  std::array<std::uint8_t, 27> first{};
  for (std::size_t letter = 0; letter != first.size(); ++letter) {
    const auto begins_before = [&](const Unshareable& it) { return it.name[0] < static_cast<char>('A' + letter); };
    first[letter] = static_cast<std::uint8_t>(std::ranges::count_if(kUnshareable, begins_before));
  }
  return first;
}();

// Returns the entries whose names begin with the first letter of `name`, so that few are compared for each command.
std::span<const Unshareable> with_first_letter_of(std::string_view name) noexcept {
  if (name.empty()) return {};
  const char upper = name[0] >= 'a' && name[0] <= 'z' ? static_cast<char>(name[0] - 32) : name[0];
  if (upper < 'A' || upper > 'Z') return {};
  const auto letter = static_cast<std::size_t>(upper - 'A');
  return std::span(kUnshareable).subspan(kFirstByLetter[letter], kFirstByLetter[letter + 1] - kFirstByLetter[letter]);
}

bool equal_ignoring_case(std::string_view text, std::string_view upper) noexcept {
  return std::ranges::equal(text, upper, [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 32 : a) == b; });
}

// XREAD and XREADGROUP block if they have the option BLOCK, which precedes STREAMS.
bool blocks(const Command& command) noexcept {
  if (!equal_ignoring_case(command[0], "XREAD") && !equal_ignoring_case(command[0], "XREADGROUP")) return false;
  for (std::size_t i = 1; i != command.size() && !equal_ignoring_case(command[i], "STREAMS"); ++i) {
    if (equal_ignoring_case(command[i], "BLOCK")) return true;
  }
  return false;
}

[[noreturn]] void refuse(const Command& command, std::string_view why) {
  throw Error(std::string(command[0]) + " is not for shared connections: " + std::string(why));
}

}  // namespace

void check_shareable(const Command& command) {
  for (const auto& [name, instead] : with_first_letter_of(command[0])) {
    if (equal_ignoring_case(command[0], name)) refuse(command, instead);
  }
  if (blocks(command)) refuse(command, kBlocks);
  // It would leave later commands without replies.
  if (equal_ignoring_case(command[0], "CLIENT") && command.size() > 1 && equal_ignoring_case(command[1], "REPLY")) {
    refuse(command, "each command must have a reply");
  }
}

Task<std::vector<Reply>> exchange(std::shared_ptr<ConnectionPool> pool, std::string bytes, std::size_t commands) {
  auto [sender, receiver] = oneshot<Outcome>();
  bool sent = false;
  while (!sent) {  // until a connection is found that has not ended while this task waited
    const database::Demand demand{.bytes = bytes.size()};
    database::Lease lease = co_await pool->acquire(demand);
    const std::shared_ptr<Connection> connection = connection_of(lease);
    sent = connection->send(bytes, commands, lease, sender);
  }
  const auto began = std::chrono::steady_clock::now();
  auto chosen = co_await select(receiver.receive(), sleep_for(pool->options().command_timeout));
  pool->statistics()->record_command(std::chrono::steady_clock::now() - began);
  std::optional<Outcome> outcome;
  bool timed_out = chosen.index() == 1;
  if (!timed_out) outcome = std::get<0>(std::move(chosen));
  // If the process stood still, the connection may end as overdue before this task notices its own timeout.
  if (outcome && !*outcome) timed_out = outcome->error().timed_out;
  if (timed_out) {
    pool->statistics()->count(Failure::command_timeout);
    throw CommandTimeout("the command timed out");
  }
  if (!outcome) throw ConnectionLost("the runtime is stopping");
  if (!*outcome) throw ConnectionLost(outcome->error().reason);
  co_return std::move(**outcome);
}

void check_replies(std::span<const Reply> replies) {
  for (const Reply& reply : replies) {
    if (reply.kind == Reply::Kind::error) throw ServerError(reply.text);
  }
}

}  // namespace volt::redis::internal
