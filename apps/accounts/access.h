// SPDX-License-Identifier: MIT

// Who is logged in: the middleware of the pages and of the API, and the beginning and the end of a login.
//
// Threads: any.
#pragma once

#include <http/http.h>
#include <http/middleware/session.h>

#include <optional>
#include <string>
#include <string_view>

#include "apps/accounts/store.h"

namespace accounts {

// Returns the user of the session; nullopt if there is none, or if the login was revoked.
[[nodiscard]] Task<std::optional<User>> user_of(const Store& store, const volt::http::Session& session);

// Provides a User. `users()` answers other requests with 401, `visitors()` with a redirect to the page for logging in.
[[nodiscard]] volt::http::Middleware users(const Store& store, std::string cookie);
[[nodiscard]] volt::http::Middleware visitors(const Store& store);
// Refuses users who are not admins with 403.
[[nodiscard]] volt::http::Middleware admins();
// Makes pages of the problems of the inner middleware and of handlers, except for requests to the API.
[[nodiscard]] volt::http::Middleware problem_pages();

// Begins a login of the user in this session, under a new cookie. `how` is for the audit log.
[[nodiscard]] Task<> log_in(const volt::http::Request& request, volt::http::Session& session, const Store& store,
                            std::int64_t user, std::string_view how);

// Writes a line of the module "audit": who did what, and from which address.
void audit(std::string_view event, const volt::http::Request& request, std::int64_t user, std::string_view detail = {});

}  // namespace accounts
