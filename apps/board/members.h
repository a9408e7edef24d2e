// SPDX-License-Identifier: MIT

// Members: sign-up, login and logout, and how much each has written.
//
// Threads: any.
#pragma once

#include <http/http.h>
#include <http/middleware/rate_limit_store.h>

#include <cstdint>
#include <memory>

#include "apps/board/access.h"

namespace board {

// The sign-ups and logins of a client address, of which each computes a hash: `burst` at once, then one a second.
struct LoginLimit {
  std::shared_ptr<volt::http::RateLimitStore> store;
  std::uint32_t burst = 10;
};

// Adds /members and /session.
void add_members(volt::http::App& app, const Access& access, const LoginLimit& limit);

}  // namespace board
