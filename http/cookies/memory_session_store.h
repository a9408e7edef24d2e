// SPDX-License-Identifier: MIT

// MemorySessionStore: a bounded number of sessions in the memory of this process. http/cookies/internal/session_store.h
// compares the stores.
//
// Threads: any; one lock, held for a look-up and a copy.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/cookies/internal/session_store.h"

namespace volt::http::cookies {

struct MemorySessionOptions {
  std::size_t sessions_max = 100'000;  // Maximum number of sessions; beyond it, the least recently used session ends.
  std::size_t data_bytes_max = 16 * 1024;                  // Maximum size of one session's data.
  std::chrono::seconds idle_time = std::chrono::hours(1);  // A session that is unused for this time ends.
  std::chrono::seconds life_time = std::chrono::days(7);   // A session of this age ends even if it is used.
};

class MemorySessionStore final : public SessionStore {
 public:
  explicit MemorySessionStore(const MemorySessionOptions& options = {}) : options_(options) {}

  // Loading counts as a use of the session, which postpones its end by idle_time.
  std::optional<std::string> load(std::string_view cookie, Time now) override;
  std::expected<std::string, SaveError> save(std::string_view cookie, std::string_view data, Renewal renewal,
                                             Time now) override;
  void remove(std::string_view cookie) override;

  std::size_t size() const;

 private:
  using Id = std::array<std::byte, 16>;  // 128 random bits; the cookie is their base64url form.
  struct Session {
    Id id;
    std::string data;
    Time created;
    Time used;
  };
  using Sessions = std::list<Session>;
  struct IdHash {
    std::size_t operator()(const Id& id) const noexcept;
  };

  static std::optional<Id> id_of(std::string_view cookie);
  Sessions::iterator find_locked(std::string_view cookie, Time now);
  Sessions::iterator create_locked(Time now);
  void renew_id_locked(Session& session);
  void remove_locked(Sessions::iterator session);

  const MemorySessionOptions options_;
  mutable std::mutex mutex_;
  Sessions sessions_;  // The most recently used session is at the front.
  std::unordered_map<Id, Sessions::iterator, IdHash> by_id_;
};

}  // namespace volt::http::cookies
