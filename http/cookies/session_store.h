// SPDX-License-Identifier: MIT

// SessionStore: where sessions() keeps sessions, if several processes share them (SessionOptions::store).
//
//   app.use(http::sessions({.keys = keys, .store = std::make_shared<sessions::RedisSessions>(redis)}));
//
// sessions/redis_sessions.h, sessions/pg_sessions.h and sessions/sqlite_sessions.h have stores; MemorySessions is one
// for tests. A store of one's own implements this interface and must pass the suite of tests/sessions/store_test.cpp.
//
// The data is text, JSON of sessions(). The client holds a cookie, whose value the store makes: a random id of at least
// 128 bits. A store should keep only a digest of it, so that a copy of the store does not contain the cookies. A cookie
// that a client sends is never adopted as the id of a new session (session fixation).
//
// Threads: any task, several at a time. Lifetime: shared by the app. Errors: load(), save() and remove() throw the
// exceptions of their database, which fail the request; on_error turns them into responses.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "http/cookies/session_save.h"
#include "runtime/task.h"

namespace volt::http {

class SessionStore {
 public:
  virtual ~SessionStore() = default;

  // Returns after which time without a use the store ends a session. sessions() throws std::invalid_argument if it is
  // not SessionOptions::idle_time.
  [[nodiscard]] virtual std::chrono::seconds idle_time() const noexcept = 0;

  // Returns the data of the session that `cookie` belongs to; nullopt if the cookie is unknown, forged or expired.
  // Counts as a use of the session, which postpones its end.
  [[nodiscard]] virtual Task<std::optional<std::string>> load(std::string cookie) = 0;

  // Replaces the data of the session that `cookie` belongs to, or creates a session if `cookie` is empty. Returns the
  // cookie to send: with Renewal::new_cookie another one, and the old one is unknown from then on. Atomic: if another
  // call removes or renews the session at the same time, it is not created again (SaveError::gone).
  [[nodiscard]] virtual Task<std::expected<std::string, cookies::SaveError>> save(std::string cookie, std::string data,
                                                                                  cookies::Renewal renewal) = 0;

  // Ends the session, on logout.
  virtual Task<> remove(std::string cookie) = 0;
};

}  // namespace volt::http
