// SPDX-License-Identifier: MIT

// The first step of SessionStore::save(), the same for every database: refuses data that is too long and cookies that
// no store has made, and chooses the cookie and the name of the saved session.
//
// Threads: pure functions.
#pragma once

#include <expected>
#include <string>

#include "http/cookies/session_save.h"
#include "sessions/store_options.h"

namespace volt::sessions {

struct PlannedSave {
  std::string cookie;    // the client's from now on
  std::string name;      // the session is stored under it from now on
  std::string old_name;  // empty: a new session
};

// Errors: too_long, gone.
[[nodiscard]] std::expected<PlannedSave, http::cookies::SaveError> plan_save(const std::string& cookie,
                                                                             const std::string& data,
                                                                             http::cookies::Renewal renewal,
                                                                             const StoreOptions& options);

}  // namespace volt::sessions
