// SPDX-License-Identifier: MIT

// MemorySessionStore: a bounded number of sessions in the memory of this process. http/cookies/internal/session_store.h
// compares the stores.
//
// If there is no room for a new session, the least recently used session ends, but never one whose cookie was renewed,
// as login does. Otherwise any client could log all users out by beginning sessions. If all were renewed, the new
// session is rejected.
//
// During a hot restart, the replacement process sees what the replaced process changes, but not the other way round:
// the replaced process only finishes the requests that it has. A session that the replacement process has removed, or
// an id that it has renewed, does not come back with a change of the replaced process.
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
#include <unordered_set>

#include "http/cookies/internal/session_log.h"
#include "http/cookies/internal/session_store.h"

namespace volt::http::cookies {

struct MemorySessionOptions {
  std::size_t sessions_max = 100'000;                      // Maximum number of sessions.
  std::size_t data_bytes_max = 16 * 1024;                  // Maximum size of one session's data.
  std::chrono::seconds idle_time = std::chrono::hours(1);  // A session that is unused for this time ends.
  std::chrono::seconds life_time = std::chrono::days(7);   // A session of this age ends even if it is used.
};

class MemorySessionStore final : public SessionStore {
 public:
  explicit MemorySessionStore(const MemorySessionOptions& options = {}) : options_(options) {}
  ~MemorySessionStore() override { end_handover(); }
  MemorySessionStore(const MemorySessionStore&) = delete;
  MemorySessionStore& operator=(const MemorySessionStore&) = delete;

  // Loading counts as a use of the session, which postpones its end by idle_time.
  std::optional<std::string> load(std::string_view cookie, Time now) override;
  std::expected<std::string, SaveError> save(std::string_view cookie, std::string_view data, Renewal renewal,
                                             Time now) override;
  void remove(std::string_view cookie) override;

  std::size_t size() const;

  // For a hot restart: writes all sessions to a file, and then each change, until end_handover() or the destructor is
  // called. `secret` is handed over with them. Returns the descriptor of the file, which this object owns; -1 if memory
  // is short. Holds the lock while all sessions are copied.
  int begin_handover(std::string_view secret);
  void end_handover() noexcept;
  // Takes over the sessions of a file that begin_handover() has made, and then each change that the replaced process
  // appends to the file. Takes ownership of `fd`. Returns the secret; empty if the file is not one of sessions.
  std::string inherit(int fd);

 private:
  using Id = std::array<std::byte, 16>;  // 128 random bits; the cookie is their base64url form.
  struct Session {
    Id id;
    std::string data;
    Time created;
    Time used;
    bool renewed = false;  // save() has renewed its cookie
  };
  using Sessions = std::list<Session>;
  struct IdHash {
    std::size_t operator()(const Id& id) const noexcept;
  };

  static std::optional<Id> id_of(std::string_view cookie);
  std::optional<Sessions::iterator> find_locked(std::string_view cookie, Time now);
  Sessions& list_of(const Session& session) noexcept { return session.renewed ? renewed_ : fresh_; }
  // Returns none if there is no room.
  std::optional<Sessions::iterator> create_locked(Time now);
  void remove_expired_locked(Time now);
  void renew_id_locked(Sessions::iterator session);
  void remove_locked(Sessions::iterator session);
  static SessionRecord record_of(const Session& session);
  void hand_over_saved_locked(const Session& session);
  void hand_over_removed_locked(const Id& id);
  // Applies the changes that the replaced process has made since the last call.
  void read_inherited_locked();
  void adopt_locked(SessionRecord record);
  // Remembers that this process removed or renewed the id.
  void note_ended_locked(const Id& id);

  const MemorySessionOptions options_;
  mutable std::mutex mutex_;
  // The sessions whose cookie has not been renewed, and the others. The most recently used session is at the front.
  Sessions fresh_;
  Sessions renewed_;
  std::unordered_map<Id, Sessions::iterator, IdHash> by_id_;
  SessionLog handover_;                   // open while a replacement process reads the changes
  SessionLog inherited_;                  // open while the replaced process may make changes
  std::unordered_set<Id, IdHash> ended_;  // the ids that note_ended_locked() got while inherited_ is open
};

}  // namespace volt::http::cookies
