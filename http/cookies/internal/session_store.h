// SPDX-License-Identifier: MIT

// SessionStore: stores the data of sessions between a client's requests. The data is text, by convention JSON. The
// client holds a cookie, whose value the store makes and reads.
//
// This is the interface of the stores that answer without waiting; http/cookies/session_store.h has that of stores in
// databases. There are two. CookieSessionStore keeps the data in the cookie, encrypted: the server stores nothing, but
// the data is limited to about 3 KiB and a session cannot be ended early. MemorySessionStore keeps the data in this
// process, under a random id: sessions can be ended, and are lost with the process.
//
// A cookie that a client sends is never adopted as the id of a new session (session fixation): load() returns no
// session for an unknown cookie, and the save() of MemorySessionStore rejects it. On login, call save() with
// Renewal::new_cookie. An attacker who planted or saw the old cookie can then not use it.
//
// Threads: any.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "http/cookies/session_save.h"

namespace volt::http::cookies {

class SessionStore {
 public:
  using Time = std::chrono::sys_seconds;

  virtual ~SessionStore() = default;

  // Returns the data of the session that `cookie` belongs to; nullopt if the cookie is unknown, forged or expired.
  virtual std::optional<std::string> load(std::string_view cookie, Time now) = 0;

  // Replaces the data of the session that `cookie` belongs to, or creates a session if `cookie` is empty. Returns the
  // cookie to send. Atomic: if another call removes the session at the same time, it is not created again.
  virtual std::expected<std::string, SaveError> save(std::string_view cookie, std::string_view data, Renewal renewal,
                                                     Time now) = 0;

  // Ends the session, on logout. The caller must also send an expired cookie.
  virtual void remove(std::string_view cookie) = 0;
};

}  // namespace volt::http::cookies
