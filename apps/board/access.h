// SPDX-License-Identifier: MIT

// Access: who is logged in. The session is in Redis, so a login on one replica counts on all of them. Routes that do
// not need it, such as those that only read, have no session: they work while Redis is away, also for members.
//
// Threads: used while the app is built.
#pragma once

#include <http/http.h>
#include <http/middleware/session.h>

#include <cstdint>
#include <string>
#include <utility>

namespace board {

struct Member {
  std::int64_t id = 0;
  std::string name;
};

inline constexpr const char* kMember = "member";  // the value of a session that is its Member

class Access {
 public:
  explicit Access(volt::http::SessionOptions options) : options_(std::move(options)) {}

  // The group gets sessions, and refuses requests that other sites make browsers send.
  void with_session(volt::http::Group& group) const;
  // The group also refuses requests without a login, with 401. Provides the Member.
  void members_only(volt::http::Group& group) const;

 private:
  volt::http::SessionOptions options_;
};

}  // namespace board
