// Sessions in this process's memory, bounded: see session_store.h.
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
  std::size_t sessions_max = 100'000;                      // beyond it, the one unused for longest ends
  std::size_t data_bytes_max = 16 * 1024;                  // of one session
  std::chrono::seconds idle_time = std::chrono::hours(1);  // unused for so long, a session ends
  std::chrono::seconds life_time = std::chrono::days(7);   // and at this age in any case
};

class MemorySessionStore final : public SessionStore {
 public:
  explicit MemorySessionStore(const MemorySessionOptions& options = {}) : options_(options) {}

  // A session that is loaded is used.
  std::optional<std::string> load(std::string_view cookie, Time now) override;
  std::expected<std::string, SaveError> save(std::string_view cookie, std::string_view data, Renewal renewal,
                                             Time now) override;
  void remove(std::string_view cookie) override;

  std::size_t size() const;

 private:
  using Id = std::array<std::byte, 16>;  // 128 bits drawn at random; the cookie is its base64url
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
  Sessions sessions_;  // the one used last in front
  std::unordered_map<Id, Sessions::iterator, IdHash> by_id_;
};

}  // namespace volt::http::cookies
