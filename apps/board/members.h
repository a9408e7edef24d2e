// SPDX-License-Identifier: MIT

// Members: sign-up, login and logout. The session is in Redis, so a login on one replica counts on all of them.
//
// Threads: any.
#pragma once

#include <http/http.h>
#include <http/middleware/rate_limit_store.h>

#include <cstdint>
#include <memory>
#include <string>

namespace board {

struct Member {
  std::int64_t id = 0;
  std::string name;
};

// Refuses requests without a login with 401. Provides the Member.
[[nodiscard]] volt::http::Middleware members_only(std::string cookie);

// The sign-ups and logins of a client address, of which each computes a hash: `burst` at once, then one a second.
struct LoginLimit {
  std::shared_ptr<volt::http::RateLimitStore> store;
  std::uint32_t burst = 10;
};

// Adds /members and /session.
void add_members(volt::http::App& app, const std::string& cookie, const LoginLimit& limit);

}  // namespace board
